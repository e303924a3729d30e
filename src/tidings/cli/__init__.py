"""The `tidings` command: a thin layer over the client and the server."""

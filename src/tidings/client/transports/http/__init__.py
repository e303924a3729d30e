"""The transport over HTTP and one WebSocket."""

"""A service's configuration as one file: read, write, compare and apply it."""

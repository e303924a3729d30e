"""A whole service as one file: read it, write it, compare it with a service, make one like it."""

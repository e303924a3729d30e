"""The web door: HTTP, WebSocket and server-sent events."""

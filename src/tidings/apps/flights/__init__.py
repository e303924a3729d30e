"""Air traffic demo: real aircraft positions, published as events."""

"""Live objects: attributes that move, and views that always show the newest value."""

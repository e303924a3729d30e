"""The composition root: the only part that knows everybody."""

"""Who wants it: one constraint language, one tree, many back ends."""

"""Event services of our own, which federations join with those of others."""

"""Adapters, one file for each kind of event service; none imports another."""

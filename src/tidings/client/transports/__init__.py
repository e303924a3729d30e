"""The ways to a service."""

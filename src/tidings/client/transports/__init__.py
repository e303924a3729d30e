"""Transports to a service."""

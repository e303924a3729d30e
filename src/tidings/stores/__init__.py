"""Durable storage: the journal, the catalog and the archive."""

"""The archive: the journal's contents as immutable Parquet files for analytics.

Readers need only `manifest.py`, `files.py` and `schema.py`; `archiver.py` writes. The layout is
described in ``docs/archive.md``.
"""

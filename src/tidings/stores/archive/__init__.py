"""The archive: all that the journal said, as immutable Parquet files for whoever reads columns.

Who only reads needs `manifest.py`, `files.py` and `schema.py`; `archiver.py` writes. The layout
is described in ``docs/archive.md``.
"""

"""The archive: the journal's contents as Parquet files; see ``docs/archive.md``."""

"""Example query files, each ready for `tidings pipeline run`."""

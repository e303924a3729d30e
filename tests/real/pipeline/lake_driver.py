"""A driver of a lake to kill: ``python -m tests.real.pipeline.lake_driver ARCHIVE LAKE``."""

from __future__ import annotations

import sys

from tests.real.pipeline.settings import LOCAL
from tidings.pipeline.lake import LakeOptions, run_lake
from tidings.pipeline.session import open_session

if __name__ == "__main__":
    session = open_session(LOCAL, "lake-driver")
    session.sparkContext.setLogLevel("OFF")
    archive, lake = sys.argv[1:]
    run_lake(session, LakeOptions(archive, lake, max_rows_per_batch=1))

"""The data pipeline: the same events, filters and plans, on Spark, over all history."""

from tidings.pipeline.columns import number

__all__ = ["number"]

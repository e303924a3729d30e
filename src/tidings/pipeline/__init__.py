"""The data pipeline: the same events, filters and plans, on Spark, over all history."""

"""Files of continuous queries, as users write them; `tidings pipeline run` runs each."""

"""The match index: which of very many subscriptions does an event match?

The cost of an event follows its matches, not the subscriptions. The answer is the reference's
(`to_python`) for every event.
"""

from tidings.filters.index.match_index import MatchIndex

__all__ = ["MatchIndex"]

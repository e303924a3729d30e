"""Auction alert: houses announce what they auction, bidders hear of what they look for.

Nobody bids here. `scene` says who there is, `houses` and `bidders` are the two sides, `parts` makes
programs of them, each for a process of its own, `desk` asks the service how things stand, and
`accounts` compares what was promised with what came.
"""

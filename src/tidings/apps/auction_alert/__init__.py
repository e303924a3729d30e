"""Auction alert: houses announce what they auction, bidders hear of what they look for.

Nobody bids here. `scene` says who there is, `houses` and `bidders` are the two sides, `evening`
plays one life of the service with them, `accounts` compares what was promised with what came.
"""

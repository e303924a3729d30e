"""Auction alert demo: auction houses publish offers, bidders receive alerts for what they want.

`scene` defines houses and bidders, `houses` and `bidders` are suppliers and consumers, `parts` runs
each side in its own process, `desk` queries the service, and `accounts` compares expected with
received alerts. There is no bidding.
"""

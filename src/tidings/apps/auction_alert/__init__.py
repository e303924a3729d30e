"""Auction alert demo: auction houses publish offers, bidders receive alerts for what they want.

`scene` defines houses and bidders, `parts` are suppliers and consumers, `process` runs each side in
its own process, `desk` queries the service, `accounts` compares expected with received alerts, and
`show` plays it all on the screen. There is no bidding.
"""

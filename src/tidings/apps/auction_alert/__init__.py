"""Auction alert: sellers announce what they are going to sell, buyers get alerts.

There is no bidding. `scene` defines houses with lots, and bidders with constraints; `listener` is a
bidder as a consumer, `desk` queries the service.

The program with pages: `serving` runs it, `web` has its routes, `sellers` and `buyers` what people
do, `wish` what a buyer looks for, `market` what is open, `evening` houses and bidders at any
`pace`. `pages` is what browsers load. `live` starts it with a service, for people.

The bounded scene: `parts` are suppliers and consumers with ledgers, `process` runs each side in its
own process, `accounts` compares expected with received alerts, and `show` plays it on the screen.
"""

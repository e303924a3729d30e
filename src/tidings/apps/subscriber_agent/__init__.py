"""Subscriber agent: a page where people hear of changes to services, and announce changes.

`services` has what a person can pick, `subscriptions` registers what was picked, `inbox` brings
notices to a page and acknowledgements back, `announcing` is for service evolvers, `web` has the
routes. `bank` is a service that changes in all four ways; `show` plays that on the screen, `live`
for people. `pages` is what browsers load.
"""

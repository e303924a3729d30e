"""Service change notification: what changes in the trader, told in advance and at once."""

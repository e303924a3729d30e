"""Gateways at work: adapters talk to event services; `federation/` decides."""

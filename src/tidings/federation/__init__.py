"""Federation: several event services as one. What decides; `gateways/` talks to the services."""

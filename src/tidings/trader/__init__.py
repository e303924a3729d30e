"""The trader: service types, offers and queries (CosTrading, CosTradingRepos)."""

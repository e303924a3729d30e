"""Event services of our own, one folder each; adapters join them with the federation."""

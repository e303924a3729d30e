"""Demo applications, built on the client, events and filters only."""

"""Applications of Tidings: programs that know the client, events and filters, and nothing below."""

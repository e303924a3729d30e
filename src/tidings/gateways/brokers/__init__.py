"""What adapters of message brokers share: events as messages, filters as brokers take them."""

"""The client library: publish, subscribe, pull and manage over any transport."""

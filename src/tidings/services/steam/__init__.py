"""STEAM: events for whoever is near. Implicit groups over multicast, mobile nodes, no broker."""

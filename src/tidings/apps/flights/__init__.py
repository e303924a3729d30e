"""A morning of air traffic: real positions of aircraft, published as events."""

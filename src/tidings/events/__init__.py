"""What flows: types, values, structured events, and how filters see them. Pure data."""

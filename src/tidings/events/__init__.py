"""What flows: types, values, structured events, and how filters see them. Pure data."""

# Tells Any how to check its values, whichever module is asked for first.
import tidings.events.checking  # noqa: F401

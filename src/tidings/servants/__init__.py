"""CORBA servants: translate requests for the engine, and its answers back."""

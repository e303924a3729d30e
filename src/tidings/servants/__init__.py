"""The CORBA door: servants that translate in, ask the engine, and translate back."""

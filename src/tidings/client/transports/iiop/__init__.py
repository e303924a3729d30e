"""The transport over CORBA."""

"""The transport through CORBA."""

"""The CORBA services: their IDL files, and the Python modules generated from these."""

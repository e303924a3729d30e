"""IDL, the interface definition language of CORBA: files to a tree, to types, to Python."""

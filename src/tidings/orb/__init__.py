"""A CORBA object request broker: GIOP 1.0 to 1.2 over IIOP, without a notion of any service."""

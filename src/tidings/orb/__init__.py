"""A CORBA object request broker: CDR, GIOP and object references.

Only `aio` opens connections. Everything else turns octets into values and back.
"""

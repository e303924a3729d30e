"""A CORBA object request broker: CDR, GIOP and object references, without any input or output.

Only `aio` opens connections. Everything else turns octets into values and back.
"""

"""COSMIC: event channels on a CAN bus (FES 2.3.3; Kaiser, Brudna, Mitidieri).

::

    *.json, *.dbc -> settings -> Network: channels, their fields, the calendar of hard ones
    publish -> node -> fields | bulk -> scheduler -> line -> python-can
    python-can -> line (a thread) -> node -> sampling -> fields | bulk -> heard

An event channel carries the events of one subject. Hard real-time channels have reserved slots,
soft ones are sent earliest deadline first, and the others when nobody else wants the bus. All but
`line`, `node` and `__main__` do no I/O and read no clock: times are microseconds, handed in.
"""

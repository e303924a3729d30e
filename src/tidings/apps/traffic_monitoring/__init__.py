"""Traffic monitoring: cars, roadside gateways and a control room, joined by a federation.

::

    car 1..4     CAN bus (COSMIC) <-- in-car gateway --> radio (STEAM)
    road 1..3    radio (STEAM) <-- roadside gateway --> SIENA;  a sign shows the limit
    control room a client of SIENA that knows of the federation: limits, offences, fines

`city` says what happens, `offences` what must follow, `replay` shows it again; `entity`, `car`,
`roadside`, `control_room` and `traffic` do it.
"""

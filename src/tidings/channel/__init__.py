"""The core: what a channel decides. Pure: no I/O, no clock, no logging."""

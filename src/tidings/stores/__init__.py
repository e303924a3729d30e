"""Disk: persists what effects ask for, and gives it back after anything that can happen."""

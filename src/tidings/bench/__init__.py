"""Benchmarks and their workloads: one file per bench."""

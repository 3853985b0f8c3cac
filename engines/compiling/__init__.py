"""Compilation by numba: the cache on disk, bit operations, and compiling ahead of time."""

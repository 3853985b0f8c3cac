"""What numba compiles: where the results are kept, bit operations, and compiling ahead of time."""

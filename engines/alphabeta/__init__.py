"""Alpha-beta for board games: kernels, the search, its evaluations, and whole games."""

"""Rules, kernels, searches and in-process players. It imports no other package of Evoladder."""

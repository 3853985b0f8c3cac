"""Rules, kernels, searches and in-process players. Imports nothing else of Evoladder's."""

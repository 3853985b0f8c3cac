"""Plays matches in worker processes of this machine or of a cluster, and compiles games."""

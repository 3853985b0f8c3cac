"""Shared code of the proofs: deterministic bots, processes of a ladder, hosts, interpreters."""

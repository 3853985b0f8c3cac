"""Random seeds of matches, tournaments and runs of evolution."""

import secrets

SEED_BITS = 53
"""Seeds stay exact in every JSON reader, also in JavaScript."""


def new_seed() -> int:
    return secrets.randbits(SEED_BITS)

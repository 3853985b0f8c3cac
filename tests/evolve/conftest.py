"""Properties are checked without deadlines: a first example may have to compile."""

from hypothesis import settings

settings.register_profile("evolve", deadline=None)
settings.load_profile("evolve")

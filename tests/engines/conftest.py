"""Machines that run tests may be busy: no example is failed for being slow."""

from hypothesis import settings

settings.register_profile("engines", deadline=None)
settings.load_profile("engines")

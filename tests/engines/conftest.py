"""Test machines may be busy: no example fails for being slow."""

from hypothesis import settings

settings.register_profile("engines", deadline=None)
settings.load_profile("engines")

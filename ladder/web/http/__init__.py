"""Requests and responses: bodies, authentication, limits, caching and live events."""

"""Requests and responses: routing, bodies, authentication, limits and caching."""

"""The JSON API: its handlers, its routes and its OpenAPI document."""

"""The JSON API: its handlers, routes and OpenAPI document."""

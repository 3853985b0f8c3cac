"""Events for live readers: written with the change they tell of, read by every server."""

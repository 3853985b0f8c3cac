"""Events for live readers: written in the transaction of their change, read by every server."""

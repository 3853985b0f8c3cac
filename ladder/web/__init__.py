"""The web side: the JSON API and the pages. aiohttp appears nowhere else; SQL never appears here.

Handlers are plain functions that run in a thread of the pool, call use cases, and return a view or
a `Reply`; only `endpoint` and `app` touch requests and the event loop.
"""

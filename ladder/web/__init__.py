"""The web side: the JSON API and the pages. Only this package uses aiohttp; it knows no SQL.

Handlers are plain functions. They run in a thread of the pool, call use cases, and return a view or
a `Response`. Only `app` and `http` touch the event loop and the requests of aiohttp.
"""

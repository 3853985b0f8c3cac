import os

os._exit(97)
agent = None

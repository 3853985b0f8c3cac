while True:
    agent = None

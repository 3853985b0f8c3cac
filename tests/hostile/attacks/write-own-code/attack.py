def attack():
    return open("bot.py", "r+")

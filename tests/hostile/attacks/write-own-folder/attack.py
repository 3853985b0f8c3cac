def attack():
    return open("mark", "w")

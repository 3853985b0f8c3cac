import targets


def attack():
    with open(targets.OWNED, "a") as file:
        return file.write("mark")

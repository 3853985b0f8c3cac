import targets


def attack():
    with open(f"{targets.SHARED}/mark", "w") as file:
        return file.write("mark")

import targets


def attack():
    with open(f"/tmp/{targets.NAME}", "w") as file:
        return file.write("mark")

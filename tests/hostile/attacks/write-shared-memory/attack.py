import targets


def attack():
    with open(f"/dev/shm/{targets.NAME}", "w") as file:
        return file.write("mark")

import targets


def attack():
    with open(f"{targets.SHARED}/big", "wb") as file:
        return file.write(bytes(1 << 20))

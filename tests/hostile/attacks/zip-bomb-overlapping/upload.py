from tests.hostile.archives import overlapping


def build():
    return overlapping(200, bytes(200_000))

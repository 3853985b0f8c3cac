import zlib


def agent(observation, configuration):
    data = zlib.compress(bytes(4 << 20))
    return [zlib.decompress(data) for _ in range(100)]

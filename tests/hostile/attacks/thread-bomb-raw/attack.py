import threading


def attack():
    done = threading.Event()
    threading.stack_size(65536)
    try:
        for _ in range(100):
            threading.Thread(target=done.wait, daemon=True).start()
    finally:
        done.set()
    return threading.active_count()

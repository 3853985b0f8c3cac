import contextlib
import signal


def attack():
    for fd in range(64):
        with contextlib.suppress(OSError):
            return signal.pidfd_send_signal(fd, 0)

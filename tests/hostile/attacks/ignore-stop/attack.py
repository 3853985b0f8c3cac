import contextlib
import signal


def attack():
    with contextlib.suppress(OSError, ValueError):
        return signal.signal(signal.SIGSTOP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    if signal.SIGSTOP in signal.pthread_sigmask(signal.SIG_BLOCK, []):
        return "blocked"
    raise OSError("the kernel does not allow it")

def attack():
    for name in ("zero", "urandom", "mem", "kmsg", "fuse", "kvm", "tty", "ptmx"):
        try:
            return open(f"/dev/{name}", "rb", 0)
        except OSError:
            pass
    raise OSError("none")

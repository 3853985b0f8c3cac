import subprocess


def attack():
    return subprocess.run(["/bin/true"], check=True)

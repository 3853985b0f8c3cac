import os


def attack():
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))

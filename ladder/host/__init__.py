"""The machine and the process: disk space, temporary folders, child processes, logs, meters."""

"""Runs a command and says what it took: `launch.py STDOUT REPORT COMMAND…`.

STDOUT is the file its standard output goes to; REPORT gets wall seconds, peak resident bytes and exit code. A process of
its own, without any import that is not needed, because Linux counts the parent's memory at the start of a child as the
child's: under this one that is some 10 MB, under one with NumPy loaded 40 MB.
"""

import os
import sys
import time


def main(stdout, report, *command):
    redirect = [(os.POSIX_SPAWN_OPEN, 1, stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)]
    start = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=redirect)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    with open(report, "w", encoding="ascii") as out:
        print(seconds, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status), file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])

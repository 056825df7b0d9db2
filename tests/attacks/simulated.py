"""A controller whose network is in memory."""

import contextlib
import pathlib
import subprocess
import time

HOSTS = 32
TABLE = "application,share,time_s\nLR,1,132\nLR,0.5,260\nLR,0.25,447\nPR,1,100\nPR,0.5,120\nPR,0.25,180\n"
SETTINGS = f"""table = "table.csv"
store = "store"
listen = "unix:socket"
[simulated.fabric]
build = {{ single-switch = {HOSTS} }}
link = {{ rate = "100 Gbps" }}
"""


@contextlib.contextmanager
def started(bandwise, folder, more=""):
    """Starts a controller with its files in a folder, and with more settings. Its log is the file `log` there."""
    (folder / "table.csv").write_text(TABLE)
    (folder / "c.toml").write_text(SETTINGS + more)
    with open(folder / "log", "w") as log:
        controller = subprocess.Popen([bandwise, "saba", "controller", "--config", "c.toml"], cwd=folder, stderr=log)
    try:
        while "reached at" not in (folder / "log").read_text():
            assert controller.poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
        yield controller
    finally:
        controller.kill()
        controller.wait()


def memory(process):
    """Returns the resident memory of a process in bytes, now and at most."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    kib = lambda key: int(status.split(key)[1].split()[0])
    return kib("VmRSS:") * 1024, kib("VmHWM:") * 1024

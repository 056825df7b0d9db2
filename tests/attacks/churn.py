"""Registers and deregisters applications at a controller with its own store, and asks for others, which are refused.

churn.py BANDWISE [NUMBER]

Prints the controller's memory and the size of its store after a tenth of NUMBER (10000) and at the end. Fails if either
has grown by a MiB.
"""

import concurrent.futures
import pathlib
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))
from client import Client, Controller  # noqa: E402
from simulated import memory, started  # noqa: E402

CLIENTS = 16
MIB = 1 << 20


def churns(socket, number):
    client = Client(Controller(socket))
    for n in range(number):
        application = client.register("LR")
        client.request(deregister={"application": application})
        status, answer = client.controller.ask("POST", "/v1/requests", client.asked({"register": {"name": f"none {n}"}}))
        assert status == 422, (status, answer)
    client.controller.well("DELETE", f"/v1/clients/{client.client}")


def main(bandwise, number=10_000):
    number = int(number)
    with tempfile.TemporaryDirectory(prefix="bandwise-churn-") as folder:
        folder = pathlib.Path(folder)
        with started(bandwise, folder) as controller, concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            sizes, done = [], 0
            for until in (number // 10, number):
                each = (until - done) // CLIENTS
                list(pool.map(lambda _: churns(str(folder / "socket"), each), range(CLIENTS)))
                done += CLIENTS * each
                sizes.append((memory(controller)[0], (folder / "store").stat().st_size))
                print("  {} registered and deregistered, {} refused: memory {:.1f} MiB, store {:.1f} MiB".format(
                    done, done, *(size / MIB for size in sizes[-1])))
        return int(any(late > early + MIB for early, late in zip(*sizes)))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""What it takes to erase one of many people, and to open one person's history, in a log with seals.

    ops/benchmarks/erasing.py BELFRY [--people N] [--folder DIR]

BELFRY is the program, such as .build/release/belfry. N people (10,000,000) become known through the worker's door, each by a fact
or two, which takes a minute or so and some GB of disk. Then some are erased with `belfry erase`: until it has answered, which is
when their key is gone, and until the last byte is, which is when the snapshots are written anew and the mark beside the log is
taken away. Facts are sent meanwhile. Prints one JSON object.
"""

import argparse
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PACKAGE / "ops" / "benchmarks"), str(PACKAGE / ".build" / "oracles"), str(PACKAGE / "Tests" / "PagesTests" / "Browser")]
sys.dont_write_bytecode = True

import streams  # noqa: E402
from pages import Filling, ask, last_seq, rest, say, spread  # noqa: E402

ERASED = 5
HISTORIES = 300


def person(number):
    return f"person-{number:07}"


def known(port):
    """How many people the worker knows."""
    lines = ask(port, "/metrics")[0].decode().splitlines()
    return next(int(float(line.split()[-1])) for line in lines if line.startswith("belfry_people "))


def fill(worker, folder, people):
    filling = Filling(folder)
    # It begins anew with the first of them each time.
    seconds = 30
    while known(worker.port) < people:
        told = filling.go_on(seconds, people)
        say(f"  {known(worker.port):,} people; {told}")
        seconds *= 2
    return last_seq(worker.port)


class Facts:
    """One after the other about somebody else, each until it is answered."""

    def __init__(self, port):
        self.isOver, self.waits = False, []
        self.thread = threading.Thread(target=self.go_on, args=(port,), daemon=True)
        self.thread.start()

    def go_on(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        while not self.isOver:
            begun = time.monotonic()
            streams.post(connection, ('{"type":"app_opened","user":"%s"}\n' % person(7)).encode())
            self.waits.append((time.monotonic() - begun) * 1000)
            time.sleep(0.005)

    def end(self):
        self.isOver = True
        self.thread.join()
        return spread(self.waits)


def erase(program, folder, people):
    log = os.path.join(folder, "log")
    answered, gone = [], []
    for number in range(ERASED):
        user = person((number * 2 + 1) * people // (ERASED * 2))
        begun = time.monotonic()
        subprocess.run([program, "erase", "--user", user, "--yes", "--data", log], check=True, capture_output=True)
        answered.append(time.monotonic() - begun)
        while os.path.exists(os.path.join(log, "erasing")):
            time.sleep(0.05)
        gone.append(time.monotonic() - begun)
    return {"answered_s": [round(one, 3) for one in answered], "last_byte_s": [round(one, 1) for one in gone]}


def histories(port, people):
    return spread([ask(port, f"/v1/people/{person(number * 1_299_709 % people)}/history")[1] for number in range(HISTORIES)])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("belfry")
    arguments.add_argument("--people", type=int, default=10_000_000)
    arguments.add_argument("--folder", default=None)
    given = arguments.parse_args()
    program = os.path.abspath(given.belfry)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        worker = streams.Worker(program, folder)
        events = fill(worker, folder, given.people)
        say(f"  at rest after {rest(worker):.0f} s")
        history = histories(worker.port, given.people)
        facts = Facts(worker.port)
        erased = erase(program, folder, given.people)
        waits = facts.end()
        memory = worker.resident_mib()
        worker.stop()
    print(json.dumps({
        "people": given.people, "events": events, "history_ms": history, **erased, "a_fact_meanwhile_ms": waits, "memory_mib": memory}))


if __name__ == "__main__":
    main()

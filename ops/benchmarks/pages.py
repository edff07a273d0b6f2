#!/usr/bin/env python3
"""What the console costs and how soon it shows: a person in a large log, `/metrics` beside it, and a page that is live.

    ops/benchmarks/pages.py BELFRY [--facts N] [--minutes M] [--folder DIR]

BELFRY is the program, such as .build/release/belfry. N facts (100,000,000) about a million people go in through the worker's
door first, which takes some minutes and 8 GB of disk; then a person's page is opened in Chromium, each time by a browser that
has never been there. After that a worker of its own decides 1,000 times a second for twice M minutes (10), in turn with the page Now
open and with another: what a worker costs changes more by itself, as its people have more behind them, than by who looks. Prints one JSON object. `ops/bootstrap --test` installs the browser and what drives it.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PACKAGE / ".build" / "oracles"), str(PACKAGE / "Tests" / "PagesTests" / "Browser"), str(PACKAGE / "ops" / "benchmarks")]
sys.dont_write_bytecode = True

import streams  # noqa: E402
from sight import FIRST  # noqa: E402
from visit import Worker as Door, chromium, expect, visit  # noqa: E402

PEOPLE = 1_000_000
VIEWS = 15
# Seconds that a page is left to itself.
UNSEEN = 1.5
A_SECOND = 1_000
# Seconds between one page and the other.
TURN = 30


def say(text):
    print(text, file=sys.stderr, flush=True)


def ask(port, target):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    start = time.monotonic()
    connection.request("GET", target, headers={"Authorization": "Bearer " + streams.TOKEN})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (target, answer.status)
    return body, (time.monotonic() - start) * 1000


def last_seq(port):
    return json.loads(ask(port, "/v1/log/head")[0])["seq"]


class Filling:
    """Sends facts through the door that users use, begun anew with the first of the people each time."""

    def __init__(self, folder):
        self.program, self.socket = os.path.join(folder, "door"), os.path.join(folder, "log", "belfry.sock")
        subprocess.run(["cc", "-O2", "-pthread", "-o", self.program, PACKAGE / "ops" / "benchmarks" / "door.c"], check=True)

    def go_on(self, seconds, people):
        """What it says of how fast that went."""
        return subprocess.run(
            [self.program, self.socket, str(seconds), str(people)], check=True, capture_output=True, text=True).stdout.strip()


def fill(worker, folder, facts):
    """Each of the people has been heard of before the last facts come."""
    filling = Filling(folder)
    while (seq := last_seq(worker.port)) < facts:
        say(f"  {seq:,} events; {filling.go_on(20, PEOPLE)}")
    return last_seq(worker.port)


def rest(worker):
    """Until what goes on behind the door is done, such as the first snapshot. How long that took."""
    begun = time.monotonic()
    while time.monotonic() - begun < 900 and spent(worker, 5) > 0.05:
        pass
    return time.monotonic() - begun


def spread(values):
    return {"median": round(statistics.median(values), 1), "most": round(max(values), 1)}


def first_views(port):
    door = Door(f"http://127.0.0.1:{port}", streams.TOKEN)
    drawn, sizes = [], []
    with chromium() as browser:
        with visit(browser, door) as one:
            one.sign_in()
            cookies = one.context.cookies()
        for number in range(VIEWS):
            with visit(browser, door) as one:
                one.context.add_cookies(cookies)
                one.context.add_init_script("localStorage.setItem('belfry.session', 'yes')")
                one.page.goto(f"{door.base}/people/person-{number * 104_729 % PEOPLE:07}", wait_until="commit")
                # Not looked at before: what looks at a page runs in it, on the thread that draws it.
                time.sleep(UNSEEN)
                expect(one.page.locator("day-strip svg")).to_be_visible()
                first = one.page.evaluate(FIRST)
                drawn.append(first["drawn"])
                sizes.append(first["bytes"])
    return {"ms": spread(drawn), "bytes": max(sizes)}


def large(program, folder, facts):
    say(f"{facts:,} facts")
    worker = streams.Worker(program, folder)
    events = fill(worker, folder, facts)
    say(f"  at rest after {rest(worker):.0f} s")
    metrics = [ask(worker.port, "/metrics")[1] for _ in range(50)]
    views = first_views(worker.port)
    worker.stop()
    return {"events": events, "people": PEOPLE, "first_view": views, "metrics_ms": spread(metrics)}


class Life:
    """A thousand decisions a second: each fact asks for a notice, and each notice is a job. It keeps to the clock."""

    def __init__(self, port):
        self.port, self.isOver, self.told, self.late = port, False, 0, 0.0
        self.thread = threading.Thread(target=self.go_on, daemon=True)
        self.thread.start()

    def go_on(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        line = '{"type":"notice_requested","user":"p%d","data":{"kind":"urgent","title":"Water in the cellar","body":"Go and see."}}\n'
        start = due = time.monotonic()
        while not self.isOver:
            due += 0.1
            streams.post(connection, "".join(line % ((self.told + place) % 50_000) for place in range(A_SECOND // 10)).encode())
            self.told += A_SECOND // 10
            rest = due - time.monotonic()
            self.late = max(self.late, -rest)
            if rest > 0:
                time.sleep(rest)
        self.seconds = time.monotonic() - start

    def end(self):
        self.isOver = True
        self.thread.join()
        return round(self.told / self.seconds)


def processor_seconds(worker):
    fields = pathlib.Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spent(worker, seconds, look=lambda: None):
    """Of the worker's processor time, its share of a core."""
    start, begun = processor_seconds(worker), time.monotonic()
    while time.monotonic() - begun < seconds:
        time.sleep(min(10, seconds))
        look()
    return (processor_seconds(worker) - start) / (time.monotonic() - begun)


def live(program, folder, minutes):
    say(f"live, {minutes} minutes twice")
    worker = streams.Worker(program, folder)
    life = Life(worker.port)
    alone, seen, heaps = [], [], []
    with chromium() as browser, visit(browser, Door(f"http://127.0.0.1:{worker.port}", streams.TOKEN)) as one:
        one.sign_in()
        tools = one.context.new_cdp_session(one.page)

        def look():
            tools.send("HeapProfiler.collectGarbage")
            heaps.append(tools.send("Runtime.getHeapUsage")["usedSize"] / (1 << 20))
        for turn in range(round(minutes * 60 / TURN) * 2):
            is_seen = turn % 4 in (1, 2)
            one.go("/now" if is_seen else "/policy")
            one.page.wait_for_timeout(2000)
            (seen if is_seen else alone).append(spent(worker, TURN, look if is_seen else lambda: None))
    rate = life.end()
    worker.stop()
    third = max(1, len(heaps) // 3)
    return {
        "decisions_a_second": rate, "latest_s": round(life.late, 2), "minutes": minutes,
        "worker_share_alone": round(statistics.mean(alone), 3), "worker_share_watched": round(statistics.mean(seen), 3),
        "ratio": round(statistics.mean(seen) / statistics.mean(alone), 3),
        "ratio_by_turns": [round(two / one, 3) for one, two in zip(alone, seen)],
        "page_mib": {"second_third": round(statistics.mean(heaps[third:2 * third] or heaps), 1),
                     "last_third": round(statistics.mean(heaps[-third:]), 1), "most": round(max(heaps), 1)}}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("belfry")
    arguments.add_argument("--facts", type=int, default=100_000_000)
    arguments.add_argument("--minutes", type=float, default=10)
    arguments.add_argument("--folder", default=None)
    given = arguments.parse_args()
    program = os.path.abspath(given.belfry)
    found = {}
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        if given.facts:
            os.mkdir(os.path.join(folder, "large"))
            found["large"] = large(program, os.path.join(folder, "large"), given.facts)
        if given.minutes:
            os.mkdir(os.path.join(folder, "live"))
            found["live"] = live(program, os.path.join(folder, "live"), given.minutes)
    print(json.dumps(found))


if __name__ == "__main__":
    main()

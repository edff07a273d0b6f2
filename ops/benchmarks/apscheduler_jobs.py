"""One-shot jobs in APScheduler 3 with its default memory store, each doing next to nothing.

herd SECONDS  the largest of 1,000, 10,000, … jobs due in the same instant that all ran within so many seconds
lag JOBS      how late they run, with 1,000 due every second
"""

import os
import sys
import threading
import time
from datetime import datetime, timedelta, timezone

import apscheduler
from apscheduler.schedulers.background import BackgroundScheduler


class Ran:
    """Counts jobs as they run, and how late each was."""

    def __init__(self, count):
        self.left = count
        self.lags = []
        self.lock = threading.Lock()
        self.done = threading.Event()

    def one(self, due):
        with self.lock:
            self.lags.append(time.time() - due)
            self.left -= 1
            if self.left == 0:
                self.done.set()


def armed(count, spacing):
    """A scheduler with its jobs armed, started only now: how long arming takes is not what is measured."""
    scheduler = BackgroundScheduler(
        timezone=timezone.utc, job_defaults={"misfire_grace_time": None}
    )
    ran = Ran(count)
    # Far enough ahead that all are armed before the first is due.
    start = time.time() + 1 + count / 4000
    for number in range(count):
        due = start + number * spacing
        scheduler.add_job(
            ran.one, "date", run_date=datetime.fromtimestamp(due, timezone.utc), args=[due]
        )
    scheduler.start()
    return scheduler, ran, start


def herd(limit):
    count, best = 1000, None
    while True:
        begun = time.time()
        scheduler, ran, start = armed(count, 0)
        late = max(0, time.time() - start)
        finished = ran.done.wait(max(0, start - time.time()) + limit)
        took = max(ran.lags, default=0) - late
        if finished:
            scheduler.shutdown()
        if not finished or took > limit:
            print(
                f"APScheduler {apscheduler.__version__}, memory store: {count:,} jobs due at once\t"
                f"{count - ran.left:,} of them ran in {limit:.0f} s"
            )
            break
        best = (count, took)
        if time.time() - begun > limit or count >= 1_000_000:
            break
        count *= 10
    if best:
        print(
            f"APScheduler {apscheduler.__version__}, memory store: {best[0]:,} jobs due at once\t"
            f"{best[1]:.2f} s until all ran"
        )


def lag(count):
    scheduler, ran, start = armed(count, 0.001)
    # No more than twice as long as it should take.
    ran.done.wait(max(0, start - time.time()) + 2 * count / 1000 + 5)
    lags = sorted(ran.lags) or [0]
    p50, p99 = lags[len(lags) // 2], lags[int(len(lags) * 0.99)]
    print(
        f"APScheduler {apscheduler.__version__}, memory store: lag with {count:,} armed, 1,000 due/s\t"
        f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, {len(ran.lags):,} ran"
    )


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("herd", "lag"):
        sys.exit(__doc__)
    if sys.argv[1] == "herd":
        herd(float(sys.argv[2]))
    else:
        lag(int(sys.argv[2]))
    # What has not run is not waited for.
    sys.stdout.flush()
    os._exit(0)

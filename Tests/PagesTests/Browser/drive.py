#!/usr/bin/env python3
"""Drives the console and the settings page in Chromium, against a worker that runs.

Usage: drive.py SCENARIO

BELFRY_BASE is the worker's address, BELFRY_TOKEN its token; BELFRY_SCREENS, a folder for pictures. Exits 0 where everything
was as it should be, and says `done`; else the reason is on stderr.
"""

import os
import sys

import console
import operators
import own
import person
import settings
import sight
import trouble
from visit import Worker, chromium

PARTS = [console, operators, person, settings, own, sight, trouble]
SCENARIOS = {name: scenario for part in PARTS for name, scenario in part.SCENARIOS.items()}
assert len(SCENARIOS) == sum(len(part.SCENARIOS) for part in PARTS), "two scenarios have one name: one of them is never driven"


def main():
    worker = Worker(os.environ["BELFRY_BASE"], os.environ["BELFRY_TOKEN"])
    with chromium(*own.LARGE_TEXT if sys.argv[1] in own.LARGE else ()) as browser:
        SCENARIOS[sys.argv[1]](browser, worker)
    print("done", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What Python's zoneinfo says of every zone: the oracle that CivilTime's zone reader is compared with.

    zoneinfo_oracle.py DIRECTORY SEED SAMPLES < names > answers

Reads the TZif files of DIRECTORY themselves, never the machine's search path and never the tzdata package,
and finds the transitions by its own reading of the files and of their footers.

For each name, in the order given, little-endian:
    u32 n, then n times: i64 second, i32 offset one second before, i32 offset at it
    u32 m, then m times i64 second, then m times i32 offset
The first part holds every change of offset from 1800 to 2500, the second SAMPLES random seconds of 1900-2500.
"""

import datetime
import os
import random
import struct
import sys
from array import array
from zoneinfo import ZoneInfo, _common, _zoneinfo

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1)


def seconds(year):
    return int((datetime.datetime(year, 1, 1) - EPOCH).total_seconds())


FIRST, SAMPLED, LAST = seconds(1800), seconds(1900), seconds(2500)


def offset(zone, second):
    delta = datetime.datetime.fromtimestamp(second, zone).utcoffset()
    return delta.days * 86400 + delta.seconds


def candidates(path):
    """The seconds at which something changes, by the file's table and then by its footer."""
    with open(path, "rb") as file:
        _, transitions, _, _, _, footer = _common.load_data(file)
    found = set(transitions)
    if transitions:
        found.add(transitions[-1] + 1)
    if footer:
        rule = _zoneinfo._parse_tz_str(footer.decode())
        if isinstance(rule, _zoneinfo._TZStr):
            begin = datetime.datetime.fromtimestamp(transitions[-1], UTC).year if transitions else 1800
            for year in range(max(begin - 1, 1800), 2501):
                start, end = rule.transitions(year)
                found.add(int(start - rule.std.utcoff.total_seconds()))
                found.add(int(end - rule.dst.utcoff.total_seconds()))
    return sorted(second for second in found if FIRST <= second < LAST)


def main():
    directory, seed, samples = sys.argv[1], sys.argv[2], int(sys.argv[3])
    output = sys.stdout.buffer
    for name in sys.stdin.read().split():
        path = os.path.join(directory, name)
        with open(path, "rb") as file:
            zone = ZoneInfo.from_file(file, key=name)

        changes = []
        for second in candidates(path):
            before, after = offset(zone, second - 1), offset(zone, second)
            if before != after:
                changes.append((second, before, after))
        output.write(struct.pack("<I", len(changes)))
        for change in changes:
            output.write(struct.pack("<qii", *change))

        raw = array("I", random.Random(seed + name).randbytes(4 * samples))
        instants = array("q", [SAMPLED + (value * (LAST - SAMPLED) >> 32) for value in raw])
        offsets = array("i", [offset(zone, second) for second in instants])
        if sys.byteorder == "big":
            instants.byteswap()
            offsets.byteswap()
        output.write(struct.pack("<I", samples))
        output.write(instants.tobytes())
        output.write(offsets.tobytes())


main()

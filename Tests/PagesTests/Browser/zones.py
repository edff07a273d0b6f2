"""Zones in which it is a wanted hour now, so that nothing hangs on the machine's clock or zone."""

import datetime


def where_it_is(hour):
    ahead = hour - datetime.datetime.now(datetime.timezone.utc).hour
    if ahead > 14:
        ahead -= 24
    if ahead < -12:
        ahead += 24
    # These zones are named by what is to be added to get to UTC.
    return "Etc/UTC" if ahead == 0 else f"Etc/GMT{'-' if ahead > 0 else '+'}{abs(ahead)}"

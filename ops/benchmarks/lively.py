#!/usr/bin/env python3
"""Writes a lively history: people who change preferences, travel, snooze, let things wait and exchange messages.

Usage: ops/benchmarks/lively.py [PEOPLE [DAYS [SEED]]] > history.jsonl

Made for `belfry import FILE --policy standard` and `belfry simulate`: facts with instants of their own, in order of time.
The same numbers give the same bytes. By default 2,000 people and 60 days, about 155,000 facts, a third of which change
preferences or zones.
"""

import datetime
import json
import random
import sys

ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo", "Africa/Cairo",
         "Pacific/Auckland", "Europe/London", "America/Los_Angeles"]
WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
START = datetime.datetime(2026, 3, 2, tzinfo=datetime.timezone.utc)
DAY_MS = 86_400_000


def patch(chance):
    """A change of preferences, as people make them on a page of settings."""
    hour = chance.randrange(24)
    return chance.choice([
        lambda: {"check_in_time": f"{hour:02}:{chance.choice((0, 15, 30, 45)):02}"},
        lambda: {"quiet_hours": {"start": f"{20 + chance.randrange(4):02}:00", "end": f"{5 + chance.randrange(5):02}:30"}},
        lambda: {"quiet_hours": {"enabled": chance.random() < 0.7}},
        lambda: {"frequency": chance.choice(["daily", "few_times_a_week", "weekly"])},
        lambda: {"digest_mode": chance.random() < 0.4},
        lambda: {"channels": {chance.choice(["push", "email"]): chance.random() < 0.7}},
        lambda: {"kinds": {chance.choice(["check_in", "reminder", "alert"]): {"enabled": chance.random() < 0.8}}},
        lambda: {"reminder_time": f"{hour:02}:00"},
        lambda: {"check_in_days": chance.sample(WEEKDAYS, 3)},
        lambda: {"quiet_hours": None},
    ])()


def fact(kind, user, data, at):
    moment = START + datetime.timedelta(milliseconds=at)
    stamp = moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment.microsecond // 1000:03}Z"
    return {"at": stamp, "type": kind, "user": user, "data": data}


def life(number, days, chance):
    """One person's facts, as (milliseconds, kind, data)."""
    facts = [(chance.randrange(DAY_MS), "user_enrolled", {"timezone": chance.choice(ZONES), "name": f"Person {number}"})]
    begun = facts[0][0]
    facts.append((begun + 1_000, "device_registered", {"device": "phone", "token": f"token-{number}", "platform": "ios"}))
    facts.append((begun + 2_000, "consent_given", {"by": "user"}))
    facts += [(begun + 2_500, "goal_started", {"goal": f"g{goal}", "title": "Run"}) for goal in range(3)]
    for day in range(days):
        if chance.random() < 0.2:
            continue
        for _ in range(chance.randrange(4)):
            at = begun + day * DAY_MS + chance.randrange(3_000, DAY_MS)
            facts.append((at, *moment_of_life(number, chance)))
    return facts


def moment_of_life(number, chance):
    roll = chance.random()
    if roll < 0.28:
        return "preferences_changed", {"patch": patch(chance)}
    if roll < 0.34:
        return "timezone_changed", {"timezone": chance.choice(ZONES)}
    if roll < 0.48:
        return "notice_requested", {"kind": chance.choice(["reminder", "alert"]), "title": "Look at this", "body": "It is worth a look."}
    if roll < 0.60:
        return "message_received", {"conversation": f"c{chance.randrange(4)}", "message": f"m{chance.randrange(1_000_000)}", "text": "how are you?"}
    if roll < 0.66:
        return "message_sent", {"conversation": f"c{chance.randrange(4)}", "message": f"m{chance.randrange(1_000_000)}"}
    if roll < 0.74:
        return "session_completed", {}
    if roll < 0.80:
        return "points_earned", {"points": chance.randrange(1, 50)}
    if roll < 0.86:
        return "app_opened", {}
    if roll < 0.91:
        return "app_closed", {}
    if roll < 0.95:
        return "goal_started", {"goal": f"g{chance.randrange(3)}", "title": "Run", "check_in_days": chance.sample(WEEKDAYS, 3)}
    return "checked_in", {"goal": f"g{chance.randrange(3)}"}


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        return print(__doc__.strip())
    people, days, seed = (int(word) for word in (sys.argv[1:] + ["2000", "60", "1"][len(sys.argv) - 1:])[:3])
    chance = random.Random(seed)
    facts = []
    for number in range(people):
        user = f"person-{number:07}"
        facts += [(at, number, kind, user, data) for at, kind, data in life(number, days, chance)]
    facts.sort(key=lambda one: one[:2])
    write = sys.stdout.write
    for at, _, kind, user, data in facts:
        write(json.dumps(fact(kind, user, data, at), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

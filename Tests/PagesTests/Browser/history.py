#!/usr/bin/env python3
"""Writes nine days of facts about a small town, up to now, as an import takes them.

Usage: history.py BELFRY POLICY FOLDER

FOLDER/history.jsonl is what the pages are drawn from: people in ten zones, notices that are held, gathered, dropped,
delivered and opened, and one person whose every text is an attack. The same each time, but for the day it ends on.
"""

import datetime
import json
import pathlib
import random
import subprocess
import sys

PEOPLE = ["Anna Lindqvist", "Ben Okafor", "Carla Rossi", "Deniz Yılmaz", "Emil Novák", "Farah Haddad", "Goro Tanaka",
          "Hana Kim", "Ivo Petrov", "Jade Nguyen", "Kofi Mensah", "Lea Dubois", "Milan Horvat", "Noor Ali", "Olga Ivanova",
          "Pablo Díaz", "Quinn Murphy", "Rosa Silva", "Sven Berg", "Tara Singh"]
ZONES = ["Europe/Paris", "Africa/Lagos", "Europe/Rome", "Europe/Istanbul", "Europe/Prague", "Asia/Beirut", "Asia/Tokyo",
         "Asia/Seoul", "Europe/Sofia", "America/Los_Angeles"]
ASKED = {
    "standard": [("alert", "Build failed", "main: 3 tests are red"), ("alert", "Disk at 91 %", "Volume data-2"),
                 ("reminder", "Water the plants", "The ficus first."), ("reminder", "Call grandmother", "She is home from six."),
                 ("reminder", "Submit the report", "It is due today."), ("urgent", "The door is open", "Since ten minutes")],
    "microcommit": [("referee", "Evidence approved", "Ben approved your run."), ("referee", "New comment", "Carla: nice pace!"),
                    ("achievement", "7 days in a row", "Keep going!"), ("payment", "Payment successful", "10.00 EUR"),
                    ("goal_lifecycle", "Goal update", "There is news about your goal.")],
}
ATTACK = "<img src=x onerror=alert(1)>\u202e<script>alert(2)</script>"
DAYS = 9


def main():
    belfry, policy, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(minutes=3)
    facts = sorted(town(now, policy), key=lambda fact: fact[0])
    write(folder / "history.jsonl", facts)
    write(folder / "history.jsonl", sorted(facts + deliveries(belfry, policy, folder, now), key=lambda fact: fact[0]))


def town(now, policy):
    dice = random.Random(7)
    start = now - datetime.timedelta(days=DAYS)
    for number, name in enumerate(PEOPLE):
        user = name.split()[0].lower()
        yield from arrival(start + datetime.timedelta(minutes=3 * number), user, name, number, policy, now)
        at = start + datetime.timedelta(hours=2)
        while (at := at + datetime.timedelta(minutes=dice.randint(40, 170) if number == 0 else dice.randint(60, 420))) < now:
            yield from something(at, user, policy, dice)
    for offset, fact in enumerate(attacker(policy)):
        yield (start + datetime.timedelta(minutes=90, seconds=offset), *fact)


def arrival(at, user, name, number, policy, now):
    later = lambda seconds: at + datetime.timedelta(seconds=seconds)
    yield at, "user_enrolled", user, {"timezone": ZONES[number % len(ZONES)], "name": name, "email": f"{user}@example.org"}
    yield later(20), "device_registered", user, {
        "device": f"{user}-phone", "platform": ["ios", "android"][number % 2], "token": f"{number + 1:064x}"}
    yield later(25), "push_permission_changed", user, {"status": "granted"}
    if number % 4 == 0:
        yield later(60), "preferences_changed", user, {"patch": {"frequency": "daily"}}
    if number % 5 == 1:
        yield later(61), "preferences_changed", user, {"patch": {"digest_mode": True}}
    if policy == "microcommit":
        deadline = now + datetime.timedelta(days=1, hours=number)
        yield later(90), "goal_started", user, {
            "goal": "g1", "title": "Run 5 km", "deadline": instant(deadline), "reminder_time": "08:30"}


def something(at, user, policy, dice):
    roll = dice.random()
    if roll < 0.55:
        kind, title, body = dice.choice(ASKED[policy])
        yield at, "notice_requested", user, {"kind": kind, "title": title, "body": body}
    elif roll < 0.65:
        yield at, "session_completed", user, {}
    elif roll < 0.72:
        yield at, "app_opened", user, {}
        yield at + datetime.timedelta(minutes=4), "app_closed", user, {}
    elif roll < 0.8:
        yield at, "points_earned", user, {"points": dice.randint(1, 30)}


def attacker(policy):
    kind = ASKED[policy][0][0]
    yield "user_enrolled", "mallory", {"timezone": "UTC", "name": ATTACK}
    yield "device_registered", "mallory", {"device": "d-1", "platform": "ios", "token": "f" * 64}
    yield "notice_requested", "mallory", {"kind": kind, "title": ATTACK, "body": "x" * 4000}


def deliveries(belfry, policy, folder, now):
    """What the providers told. A requested notice's id holds its number, which each earlier delivery moves by one."""
    data = folder / "first"
    subprocess.run([belfry, "import", str(folder / "history.jsonl"), "--policy", policy, "--data", str(data)],
                   check=True, capture_output=True)
    events = [json.loads(line) for line in subprocess.run(
        [belfry, "log", "--data", str(data)], check=True, capture_output=True, text=True).stdout.splitlines()]
    raised = {event["seq"]: event["at"] for event in events}
    told = []
    for number, event in enumerate(event for event in events if event["type"] == "job_emitted"):
        at = datetime.datetime.fromisoformat(event["at"].replace("Z", "+00:00"))
        if at + datetime.timedelta(minutes=30) > now:
            continue
        channel = (event["data"]["channels"] or ["in_app"])[0]
        told.append((at + datetime.timedelta(seconds=1), "job_delivered", event["user"], event["data"]["job"], {"channel": channel}))
        if number % 11 != 5:
            told.append((at + datetime.timedelta(seconds=3), "delivery_reported", event["user"], event["data"]["job"],
                         {"channel": channel, "status": "delivered", "permanent": False}))
        if number % 3 == 0:
            told.append((at + datetime.timedelta(minutes=6), "notice_opened", event["user"], event["data"]["job"], {}))
    told.sort(key=lambda one: one[0])
    return [(at, kind, user, {"job": moved(job, raised, told), **data}) for at, kind, user, job, data in told]


def moved(job, raised, told):
    head, mark, number = job.partition("#")
    if not mark:
        return job
    earlier = sum(1 for one in told if instant(one[0]) < raised[int(number)])
    return f"{head}#{int(number) + earlier}"


def write(path, facts):
    path.write_text("".join(json.dumps(
        {"type": kind, "user": user, "at": instant(at), "data": data}, ensure_ascii=False) + "\n"
        for at, kind, user, data in facts), encoding="utf-8")


def instant(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


if __name__ == "__main__":
    main()

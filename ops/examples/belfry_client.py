#!/usr/bin/env python3
"""A client of Belfry in one file, with nothing but Python's standard library. Copy what you need.

    export BELFRY_URL=http://127.0.0.1:8080 BELFRY_TOKEN=…
    belfry_client.py send FACTS.jsonl      tells facts, each once, however often it has to be sent
    belfry_client.py token USER [SECONDS]  makes a token with which USER's phone or page may ask for itself
    belfry_client.py follow FILE           keeps the whole log in FILE as a warehouse would, and goes on where it stopped
    belfry_client.py follow FILE PARTITION does so with one partition of a log that has several, each of which is a log by itself;
                                           -1 is what was told about everyone

Three habits are worth copying. Every fact has an id, so that it can be sent again when nobody knows whether it was taken.
What is sent is packed. And a reader keeps its place together with what it has read, so that a crash in between neither
loses an event nor stores one twice.
"""

import contextlib
import email.utils
import gzip
import hashlib
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("BELFRY_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("BELFRY_TOKEN", "")
BATCH = 512
# A request may have 16 MiB, and a fact one.
BATCH_BYTES = 1 << 20
# A stream says something at least every 15 seconds.
SILENCE = 60


def request(path, body=None, headers=None, timeout=60):
    """Opens a request; raises urllib.error.HTTPError for an answer that is no success."""
    every = {"Authorization": "Bearer " + TOKEN, **(headers or {})}
    return urllib.request.urlopen(urllib.request.Request(URL + path, data=body, headers=every), timeout=timeout)


def again(tries, told=None):
    """Waits before the next try: as long as the worker says, or a little longer each time."""
    if tries == 3:
        print(f"no success from {URL} yet; still trying", file=sys.stderr)
    seconds = min(0.2 * 2**tries, 10)
    if told and told.strip().isdecimal():
        seconds = int(told)
    elif told:
        # A proxy in between may name the moment.
        with contextlib.suppress(ValueError, TypeError):
            seconds = max(0, email.utils.parsedate_to_datetime(told).timestamp() - time.time())
    time.sleep(seconds)


# Sending facts


def with_id(line, place):
    """The fact with an id of its own: the same one whenever the same line of the same file is sent."""
    try:
        fact = json.loads(line)
    except ValueError:
        fact = None
    if not isinstance(fact, dict):
        raise SystemExit(f"{place}: a fact is a JSON object")
    fact.setdefault("id", hashlib.sha256(f"{place}:{line}".encode()).hexdigest()[:32])
    return json.dumps(fact, separators=(",", ":"))


def results(text):
    """What became of each fact."""
    try:
        return json.loads(text)["results"]
    except (ValueError, KeyError, TypeError):
        raise SystemExit(f"what answers at {URL} is no Belfry") from None


def said(problem):
    """What the worker says of a problem. What is said by somebody in between is not its word, such as a proxy's page."""
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        answer = json.loads(problem.read())
        return answer if isinstance(answer, dict) else {}
    return {}


def post(lines):
    """Sends facts until it is known what became of each; returns the answer's results."""
    body = gzip.compress("\n".join(lines).encode())
    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    tries = 0
    while True:
        try:
            with request("/v1/facts", body, headers) as answer:
                return results(answer.read())
        except urllib.error.HTTPError as problem:
            answer = said(problem)
            # 503: not now, or not all of them. With "in_doubt" they may have been taken all the same; their ids make that no matter.
            # 502 and 504 come from a proxy that had no answer of the worker, and nobody knows.
            is_unanswered = problem.code in (502, 503, 504)
            if not is_unanswered and "results" in answer:
                return answer["results"]
            if not is_unanswered and not answer.get("in_doubt"):
                raise SystemExit(f"{problem.code}: {answer.get('error', problem.reason)}")
            again(tries, problem.headers.get("Retry-After"))
        except (OSError, http.client.HTTPException):
            # The connection broke, before or after they were taken.
            again(tries)
        tries += 1


def send(path):
    counts = {"recorded": 0, "duplicates": 0, "refused": 0}
    batch = []

    def flush():
        for result in post([line for _, line in batch]) if batch else []:
            if "refused" in result:
                counts["refused"] += 1
                print(f"line {batch[result['line'] - 1][0]}: {result['refused']}", file=sys.stderr)
            elif "duplicate_of" in result:
                counts["duplicates"] += 1
            else:
                counts["recorded"] += 1
        batch.clear()

    size = 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                batch.append((number, with_id(line.strip(), f"{os.path.basename(path)}:{number}")))
                size += len(line.encode())
            if len(batch) == BATCH or size >= BATCH_BYTES:
                flush()
                size = 0
    flush()
    print(json.dumps(counts))
    return 1 if counts["refused"] else 0


# A token for one person


def token(user, seconds="86400"):
    body = json.dumps({"expires_in_seconds": int(seconds)}).encode()
    with request(f"/v1/people/{urllib.parse.quote(user, safe='')}/tokens", body, {"Content-Type": "application/json"}) as answer:
        print(json.load(answer)["token"])
    return 0


# Following the log


def stored(path):
    """The number of the last event in the file. A line that a crash left unfinished is taken away."""
    if not os.path.exists(path):
        return 0
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        step, tail = 1 << 16, b""
        while size > 0 and tail.count(b"\n") < 2:
            step = min(step, size)
            size -= step
            file.seek(size)
            tail = file.read(step) + tail
        whole, _, rest = tail.rpartition(b"\n")
        if rest:
            file.truncate(file.seek(0, os.SEEK_END) - len(rest))
        return json.loads(whole.rpartition(b"\n")[2])["seq"] if whole else 0


def events(last, partition):
    """The events behind `last`, as they come, until the stream ends."""
    headers = {"Accept": "text/event-stream"}
    part = "" if partition is None else f"&partition={int(partition)}"
    with request(f"/v1/events?from={last + 1}{part}", headers=headers, timeout=SILENCE) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                yield line[6:].rstrip(b"\r\n")


def follow(path, partition=None):
    tries = 0
    while True:
        last = stored(path)
        try:
            with open(path, "ab") as file:
                for event in events(last, partition):
                    tries = 0
                    file.write(event + b"\n")
                    file.flush()
        except urllib.error.HTTPError as problem:
            if problem.code < 500:
                raise SystemExit(f"{problem.code}: {problem.read().decode()}")
        except (OSError, http.client.HTTPException):
            pass
        # The worker was stopped, or is being upgraded, or this reader was too slow: on from where the file ends.
        again(tries)
        tries = min(tries + 1, 6)


COMMANDS = {"send": send, "token": token, "follow": follow}

if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        sys.exit(0)
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    try:
        sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
    except urllib.error.HTTPError as problem:
        sys.exit(f"{problem.code}: {problem.read().decode()}")
    except OSError as problem:
        sys.exit(str(problem))
    except (TypeError, ValueError):
        sys.exit(__doc__)
    except KeyboardInterrupt:
        pass

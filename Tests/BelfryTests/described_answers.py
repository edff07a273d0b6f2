#!/usr/bin/env python3
"""Holds what a worker answers about real people against its own description (`GET /v1/openapi.json`).

    described_answers.py URL TOKEN

Asks every GET route of a person and of the log, and previews; each answer, and each line of what comes in lines, has to be as described.
Members that the description does not have are reported too, where it describes an object. Prints how many answers were held against it.
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

import jsonschema

URL, TOKEN = sys.argv[1:]


def ask(path, method="GET", body=None, accept="application/json"):
    request = urllib.request.Request(
        URL + path, method=method, data=body and json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + TOKEN, "Accept": accept, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


API = json.loads(ask("/v1/openapi.json")[1])
problems, held = [], 0


def resolved(schema):
    while "$ref" in schema:
        schema = API["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def unknown(schema, value, at):
    """The members of objects that their description does not list."""
    schema = resolved(schema)
    for branch in ("oneOf", "allOf"):
        if branch in schema:
            known = [unknown(one, value, at) for one in schema[branch]]
            return min(known, key=len)
    found = []
    if isinstance(value, dict) and schema.get("properties"):
        more = schema.get("additionalProperties")
        for name, member in value.items():
            if name in schema["properties"]:
                found += unknown(schema["properties"][name], member, f"{at}.{name}")
            elif not isinstance(more, dict):
                found.append(f"{at}.{name}")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for place, element in enumerate(value):
            found += unknown(schema["items"], element, f"{at}.{place}")
    return found


def hold(schema, value, what):
    global held
    held += 1
    whole = dict(schema, components=API["components"])
    error = next(iter(jsonschema.Draft202012Validator(whole).iter_errors(value)), None)
    if error is not None:
        problems.append(f"{what}: {'.'.join(map(str, error.path))}: {error.message[:300]}")
    problems.extend(f"{what}: {name} is not described" for name in unknown(schema, value, ""))


def answer(route, path, method="GET", body=None):
    status, text = ask(path, method, body)
    if status != 200:
        problems.append(f"{path}: {status} {text[:200]}")
        return None
    value = json.loads(text)
    hold(API["paths"][route][method.lower()]["responses"]["200"]["content"]["application/json"]["schema"], value, path)
    return value


def lines(path, schema):
    status, text = ask(path, accept="application/x-ndjson")
    if status != 200:
        problems.append(f"{path}: {status} {text[:200]}")
    values = [json.loads(line) for line in text.splitlines()] if status == 200 else []
    for value in values:
        hold({"$ref": f"#/components/schemas/{schema}"}, value, path)
    return values


for route in ("/health", "/v1/now", "/v1/agenda", "/v1/policy", "/v1/stats", "/v1/log/head", "/v1/openapi.json"):
    answer(route, route)
events = lines("/v1/events?to=100000000", "Event")
for event in events[:: max(1, len(events) // 20)]:
    answer("/v1/events/{seq}", f"/v1/events/{event['seq']}")
for person in lines("/v1/people", "PersonListed"):
    base = "/v1/people/" + urllib.parse.quote(person["user"], safe="")
    for word in ("state", "export", "settings", "day", "feed"):
        answer("/v1/people/{user}/" + word, f"{base}/{word}")
    settings = json.loads(ask(base + "/settings")[1])
    for order in [{"reset": True}, {"patch": {"timezone": "Asia/Tokyo", "enabled": False}}] + [
            {"preset": one["name"]} for one in settings.get("presets") or []]:
        answer("/v1/people/{user}/preview", base + "/preview", "POST", order)
    names = [one["notice"] for one in lines(base + "/history", "HistoryEntry")]
    kinds = {event["data"]["kind"] for event in events if isinstance(event["data"].get("kind"), str)}
    for question in [f"notice={urllib.parse.quote(name, safe='')}" for name in names] + [f"kind={kind}" for kind in kinds]:
        answer("/v1/people/{user}/explain", f"{base}/explain?{question}")
for problem in problems[:30]:
    print(problem)
print(held, "answers,", len(problems), "problems")
sys.exit(bool(problems))

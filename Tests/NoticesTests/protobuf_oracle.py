"""Decodes the catalog with a stock protobuf library, and says what it saw.

Usage: protobuf_oracle.py GENERATED CATALOG [COMMIT...]

GENERATED holds what protoc made of belfry.proto, CATALOG the golden pairs, and each COMMIT is the body of
one commit. Shares nothing with Belfry's own codec: every value of a golden JSON file is mapped to what
protobuf must say for it, by the documented rules alone.

Prints one JSON object a line, with the bytes as this library writes the same message. Exits 1, saying what
differs, at the first difference.
"""

import datetime
import json
import pathlib
import re
import sys

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def milliseconds(text):
    """RFC 3339, to the millisecond."""
    moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")
    return (moment - EPOCH) // datetime.timedelta(milliseconds=1)


def minutes(text):
    hours, rest = re.fullmatch(r"(\d\d):(\d\d)", text).groups()
    return int(hours) * 60 + int(rest)


def expected(field, value):
    """What protobuf must hold in `field` where the JSON says `value`."""
    if field.message_type and field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"]
        return {key: expected(inner, item) for key, item in value.items()}
    if field.label == field.LABEL_REPEATED:
        return [scalar(field, item) for item in value]
    return scalar(field, value)


def scalar(field, value):
    if field.enum_type:
        prefix = re.sub(r"(?<=.)(?=[A-Z])", "_", field.enum_type.name).upper()
        return field.enum_type.values_by_name[f"{prefix}_{value.upper()}"].number
    if field.type == field.TYPE_INT64 and isinstance(value, str):
        return milliseconds(value)
    if field.type == field.TYPE_UINT32 and isinstance(value, str):
        return minutes(value)
    if field.type == field.TYPE_UINT32 and isinstance(value, list):
        return sum(1 << DAYS.index(day) for day in value)
    return value


def seen(field, value):
    if field.message_type and field.message_type.GetOptions().map_entry:
        return dict(value)
    return list(value) if field.label == field.LABEL_REPEATED else value


def same(field, got, wanted):
    # Documents stand in the log as their JSON text.
    if field.type == field.TYPE_STRING and isinstance(wanted, dict) and isinstance(got, str):
        return json.loads(got) == wanted
    return type(got) is type(wanted) and got == wanted


def check(name, message, data):
    fields = message.DESCRIPTOR.fields_by_name
    for field, _ in message.ListFields():
        if field.name not in data:
            raise SystemExit(f"{name}: {field.name} is in the bytes and not in the JSON")
    for key, value in data.items():
        if key not in fields:
            raise SystemExit(f"{name}: {key} is in the JSON and not in the .proto")
        got, wanted = seen(fields[key], getattr(message, key)), expected(fields[key], value)
        if not same(fields[key], got, wanted):
            raise SystemExit(f"{name}: {key} is {got!r}, and should be {wanted!r}")
        if fields[key].has_presence and not message.HasField(key):
            raise SystemExit(f"{name}: {key} is not set")
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    if known.ByteSize() != message.ByteSize():
        raise SystemExit(f"{name}: some fields are not in the .proto")


def golden(path, payloads):
    described = json.loads(path.read_text("utf-8"))
    field = payloads[described["number"]]
    if field.name != described["type"]:
        raise SystemExit(f"{path.name}: number {field.number} is {field.name} in the .proto")
    message = field.message_type._concrete_class.FromString(path.with_suffix(".bin").read_bytes())
    check(path.name, message, described["data"])
    return {"golden": path.stem, "bytes": message.SerializeToString(deterministic=True).hex()}


def commit(path, contract):
    body = contract.Commit.FromString(pathlib.Path(path).read_bytes())
    events = []
    for event in body.event:
        payload = event.WhichOneof("payload")
        said = {name: getattr(event, name) for name in ("person", "back", "id", "occurred_at") if event.HasField(name)}
        said["type"] = payload
        said["payload"] = getattr(event, payload).SerializeToString(deterministic=True).hex()
        events.append(said)
    return {"new_person": list(body.new_person), "event": events}


def main():
    generated, catalog, *commits = sys.argv[1:]
    sys.path.insert(0, generated)
    import belfry_pb2 as contract

    oneof = contract.Event.DESCRIPTOR.oneofs_by_name["payload"]
    payloads = {field.number: field for field in oneof.fields}
    for path in sorted(pathlib.Path(catalog).glob("*.json")):
        print(json.dumps(golden(path, payloads)))
    for path in commits:
        print(json.dumps(commit(path, contract)))


main()

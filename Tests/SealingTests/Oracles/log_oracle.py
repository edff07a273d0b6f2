"""Reads a log that has seals with nothing of Belfry's: PyPI's cryptography, and what FORMAT.md and belfry.proto say.

    log_oracle.py DIRECTORY

prints one JSON object an event: its number, the id of its person, and, for each field of its payload by its number, the bytes
that would stand in the message if nothing were sealed; null for somebody who was erased.
"""

import glob
import json
import struct
import sys

from sealing_oracle import binding, plain as opened_field

HEADER, FRAME = 104, 72
SEALED, OWN, AROUND = 1000, 2000, 1 << 31


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, at, shift = value | (byte & 0x7F) << shift, at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Each field's number, its content (a number, or bytes), and all of it as it stands there."""
    at = 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        if tag & 7 == 0:
            content, at = varint(data, at)
        else:
            assert tag & 7 == 2, tag
            length, at = varint(data, at)
            content, at = data[at : at + length], at + length
        yield tag >> 3, content, data[start:at]


def commits(directory):
    for path in sorted(glob.glob(f"{directory}/*.segment")):
        with open(path, "rb") as file:
            data = file.read()
        assert struct.unpack_from("<I", data, 8) == (2,), "the log has no seals"
        at = HEADER
        while at < len(data):
            length, first = struct.unpack_from("<I", data, at + 4)[0], struct.unpack_from("<Q", data, at + 24)[0]
            yield first, data[at + FRAME : at + FRAME + length]
            at += (FRAME + length + 7) // 8 * 8


class Keys:
    def __init__(self, directory):
        self.parts = []
        for name in ["keys.table", "keys"]:
            with open(f"{directory}/{name}", "rb") as file:
                self.parts.append(file.read())
        with open(f"{directory}/master.key") as file:
            self.parts.append(bytes.fromhex(file.readline().strip()))
        self.identity = self.parts[0][16:32]

    def open(self, value, person, sequence, field):
        return opened_field(*self.parts, person, binding(self.identity, sequence, field), value)


def payload(data, person, sequence, keys):
    message = {}
    for number, content, whole in fields(data):
        if number >= OWN:
            number, plain = number - OWN, content
        elif number >= SEALED:
            number = number - SEALED
            plain = keys.open(content, person, sequence, number)
            # What is opened is the field as it would stand in the message: one or several of its number.
            if plain is not None:
                parts = list(fields(plain))
                assert {part[0] for part in parts} == {number}
                plain = b"".join(part[1] for part in parts)
        else:
            plain = whole
        message[number] = None if plain is None else plain.hex()
    return message


def main(directory):
    keys, people = Keys(directory), []
    for sequence, body in commits(directory):
        for number, content, _ in fields(body):
            if number == 1 + SEALED:
                name = keys.open(content, len(people), 0, 0)
                people.append(name.decode() if name is not None else None)
            elif number == 2:
                told = {"seq": sequence, "user": None, "id": None, "data": {}}
                person = None
                for field, value, _ in fields(content):
                    if field == 1:
                        person = value
                        told["user"] = people[person]
                    elif field == 3 + SEALED:
                        plain = keys.open(value, person, sequence, 3 | AROUND)
                        told["id"] = plain.decode() if plain is not None else None
                    elif field >= 16:
                        told["type"], told["data"] = field, payload(value, person or 0, sequence, keys)
                print(json.dumps(told))
                sequence += 1


main(sys.argv[1])

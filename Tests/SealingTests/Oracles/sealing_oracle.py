"""Seals, and opens what was sealed, with nothing of Belfry's: PyPI's cryptography, and what FORMAT.md says.

Reads one JSON object a line and prints one JSON value a line. Bytes are hexadecimal.

    {"ask": "seal", "key": ..., "associated": ..., "plain": ...}     the code and the sealed bytes of AES-SIV
    {"ask": "open", "keys": FILE, "table": FILE, "master": ..., "person": "7", "sequence": "12", "field": "2",
     "item": "0", "value": ...}                                      what the field says, or null where it was erased
"""

import json
import struct
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESSIV

HEADER, ENTRY, WRAPPED, SLOTS = 152, 96, 80, 4096


def binding(identity, number, first=0, second=0):
    return identity + struct.pack("<QII", number, first, second)


def opened(key, sealed, associated):
    return AESSIV(key).decrypt(sealed, [associated])


def person_key(table, keys, master, person):
    identity = table[16:32]
    assert table[:8] == b"\xffBELKEY\n" and keys[:8] == b"\xffBELPGS\n" and keys[16:32] == identity
    generation, a_page, pages = struct.unpack_from("<QII", table, 32)
    root = opened(master, table[64:144], binding(identity, generation, a_page, pages))
    page, place = divmod(person, a_page)
    entry = table[HEADER + page * ENTRY :][:ENTRY]
    slot, destroyed = struct.unpack_from("<II", entry, 4)
    page_key = opened(root, entry[16:], binding(identity, page, slot, destroyed))
    record = keys[SLOTS + (slot * a_page + place) * WRAPPED :][:WRAPPED]
    key = opened(page_key, record, binding(identity, person))
    return None if not any(key) else key


def field(asked):
    with open(asked["table"], "rb") as table, open(asked["keys"], "rb") as keys:
        table, keys = table.read(), keys.read()
    person, value = int(asked["person"]), bytes.fromhex(asked["value"])
    key = person_key(table, keys, bytes.fromhex(asked["master"]), person)
    if key is None:
        return None
    assert value[0] == 0xFE
    place = binding(table[16:32], int(asked["sequence"]), int(asked["field"]), int(asked["item"]))
    padded = opened(key, value[1:], place)
    plain, mark = padded.rstrip(b"\0")[:-1], padded.rstrip(b"\0")[-1:]
    assert mark == b"\x80"
    return plain.hex()


def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["ask"] == "seal":
            key, plain = bytes.fromhex(asked["key"]), bytes.fromhex(asked["plain"])
            answer = AESSIV(key).encrypt(plain, [bytes.fromhex(asked["associated"])]).hex()
        else:
            answer = field(asked)
        print(json.dumps(answer))


if __name__ == "__main__":
    main()

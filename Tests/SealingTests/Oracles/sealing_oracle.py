"""Seals, and opens what was sealed, with nothing of Belfry's: PyPI's cryptography, and what FORMAT.md says.

Reads one JSON object a line and prints one JSON value a line. Bytes are hexadecimal.

    {"ask": "seal", "key": ..., "associated": ..., "plain": ...}     the code and the sealed bytes of AES-SIV
    {"ask": "open", "keys": FILE, "table": FILE, "master": ..., "person": "7", "sequence": "12", "field": "2",
     "item": "0", "value": ...}                                      what the field says, or null where it was erased
"""

import hashlib
import hmac
import json
import struct
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESSIV

HEADER, ENTRY, WRAPPED, SLOTS = 152, 96, 80, 4096
PERSON, WEEK = 0xFE, 0xFF


def binding(identity, number, first=0, second=0):
    return identity + struct.pack("<QII", number, first, second)


def opened(key, sealed, associated):
    return AESSIV(key).decrypt(sealed, [associated])


def root_key(table, master):
    assert table[:8] == b"\xffBELKEY\n"
    generation, a_page, pages = struct.unpack_from("<QII", table, 32)
    return opened(master, table[64:144], binding(table[16:32], generation, a_page, pages)), a_page, pages


def person_key(table, keys, master, person):
    identity = table[16:32]
    assert keys[:8] == b"\xffBELPGS\n" and keys[16:32] == identity
    root, a_page, _ = root_key(table, master)
    page, place = divmod(person, a_page)
    entry = table[HEADER + page * ENTRY :][:ENTRY]
    slot, destroyed = struct.unpack_from("<II", entry, 4)
    page_key = opened(root, entry[16:], binding(identity, page, slot, destroyed))
    record = keys[SLOTS + (slot * a_page + place) * WRAPPED :][:WRAPPED]
    key = opened(page_key, record, binding(identity, person))
    return None if not any(key) else key


def week_key(table, master, week):
    """The key of a week's texts; None where they are erased."""
    root, _, pages = root_key(table, master)
    at = HEADER + pages * ENTRY
    assert struct.unpack_from("<I", table, 8) == (2,)
    first, weeks = struct.unpack_from("<II", table, at + 4)
    for place in range(weeks):
        entry = table[at + 16 + place * ENTRY :][:ENTRY]
        if struct.unpack_from("<I", entry, 4) == (week,):
            return opened(root, entry[16:], binding(table[16:32], week, 0xFFFFFFFF, 1))
    assert week < first
    return None


def plain(table, keys, master, person, place, value):
    """What a field says: None where it was erased."""
    key = person_key(table, keys, master, person)
    if value[0] == WEEK and key is not None:
        secret = week_key(table, master, struct.unpack_from("<H", value, 1)[0])
        if secret is None:
            return None
        key = b"".join(hmac.new(secret, half + key, hashlib.sha256).digest() for half in [b"\1", b"\2"])
    if key is None:
        return None
    assert value[0] in (PERSON, WEEK)
    padded = opened(key, value[3 if value[0] == WEEK else 1 :], place).rstrip(b"\0")
    assert padded[-1:] == b"\x80"
    return padded[:-1]


def field(asked):
    with open(asked["table"], "rb") as table, open(asked["keys"], "rb") as keys:
        table, keys = table.read(), keys.read()
    person, value = int(asked["person"]), bytes.fromhex(asked["value"])
    place = binding(table[16:32], int(asked["sequence"]), int(asked["field"]), int(asked["item"]))
    said = plain(table, keys, bytes.fromhex(asked["master"]), person, place, value)
    return None if said is None else said.hex()


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

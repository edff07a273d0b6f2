"""Judges tokens, keys and sealed messages with libraries that nobody here wrote.

Reads one JSON object a line ({"ask": ...}) and prints one JSON value a line.
"""

import base64
import ipaddress
import json
import sys
import uuid

import http_ece
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from py_vapid import Vapid02


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pem(key, form=serialization.PrivateFormat.PKCS8, lock=serialization.NoEncryption()):
    return key.private_bytes(serialization.Encoding.PEM, form, lock).decode()


def public(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def keys(_):
    p256, other = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
    older = serialization.PrivateFormat.TraditionalOpenSSL
    return {
        "p256": pem(p256), "p256_older": pem(p256, older), "p256_public": public(p256),
        "p256_locked": pem(p256, lock=serialization.BestAvailableEncryption(b"secret")),
        "p384": pem(ec.generate_private_key(ec.SECP384R1())),
        "rsa": pem(other), "rsa_older": pem(other, older), "rsa_public": public(other),
        "rsa_1024": pem(rsa.generate_private_key(65537, 1024)),
    }


def token(asked):
    claims = jwt.decode(
        asked["token"], asked["public"], algorithms=[asked["algorithm"]], audience=asked.get("audience"),
        options={"verify_exp": False, "verify_iat": False})
    return {"header": jwt.get_unverified_header(asked["token"]), "claims": claims}


def public_of(asked):
    return public(serialization.load_pem_private_key(asked["pem"].encode(), None))


def vapid(asked):
    return Vapid02.verify(asked["authorization"])


def opened(asked):
    secret = int.from_bytes(unpadded(asked["secret"]), "big")
    return base64.b64encode(http_ece.decrypt(
        base64.b64decode(asked["sealed"]), private_key=ec.derive_private_key(secret, ec.SECP256R1()),
        auth_secret=unpadded(asked["auth"]), version="aes128gcm")).decode()


def name_uuid(asked):
    return str(uuid.uuid5(uuid.UUID(bytes=base64.b64decode(asked["space"])), asked["name"]))


def is_public(asked):
    address = ipaddress.ip_address(asked["address"])
    address = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
    return address.is_global and not address.is_multicast and not address.is_reserved


for line in sys.stdin.readlines():
    asked = json.loads(line)
    print(json.dumps(globals()[asked["ask"]](asked)))

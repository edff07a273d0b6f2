"""Signs reports as providers do, and lets their own libraries judge them.

Reads one JSON object a line ({"ask": ...}) and prints one JSON value a line.
"""

import base64
import datetime
import functools
import json
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID
from sendgrid.helpers.eventwebhook import EventWebhook
from standardwebhooks import Webhook
from twilio.request_validator import RequestValidator

sendgrid = ec.generate_private_key(ec.SECP256R1())
sendgrid_public = base64.b64encode(sendgrid.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)).decode()


def twilio_sign(asked):
    return RequestValidator(asked["token"]).compute_signature(asked["url"], json.loads(asked["form"]))


def twilio_judge(asked):
    return RequestValidator(asked["token"]).validate(asked["url"], json.loads(asked["form"]), asked["signature"])


def sendgrid_sign(asked):
    signature = base64.b64encode(sendgrid.sign(
        (asked["time"] + asked["body"]).encode(), ec.ECDSA(hashes.SHA256()))).decode()
    assert EventWebhook(sendgrid_public).verify_signature(asked["body"], signature, asked["time"])
    return [sendgrid_public, signature]


def standard_sign(asked):
    when = datetime.datetime.fromtimestamp(int(asked["time"]), datetime.timezone.utc)
    return Webhook(asked["secret"]).sign(asked["id"], when, asked["body"])


@functools.cache
def amazon_key():
    """Takes a while to make, so only where it is asked for."""
    return rsa.generate_private_key(65537, 2048)


def amazon_sign(asked):
    amazon = amazon_key()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.eu-west-1.amazonaws.com")])
    day = datetime.datetime(2026, 1, 1)
    certificate = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(
        amazon.public_key()).serial_number(1).not_valid_before(day).not_valid_after(
        day + datetime.timedelta(days=365)).sign(amazon, hashes.SHA256())
    message = json.loads(asked["message"])
    names = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    if message["Type"] == "Notification":
        names = [name for name in names if name not in ("SubscribeURL", "Token")]
    text = "".join(f"{name}\n{message[name]}\n" for name in names if name in message)
    kind = hashes.SHA1() if message["SignatureVersion"] == "1" else hashes.SHA256()
    message["Signature"] = base64.b64encode(amazon.sign(text.encode(), padding.PKCS1v15(), kind)).decode()
    return [json.dumps(message), certificate.public_bytes(serialization.Encoding.PEM).decode()]


for line in sys.stdin.readlines():
    asked = json.loads(line)
    print(json.dumps(globals()[asked["ask"]](asked)))

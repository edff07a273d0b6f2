"""What a document for senders names: keys, passwords and a certificate that are good here and nowhere else."""

import base64
import json
import os

import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

TEAM, KEY, TOPIC, PROJECT = "DEMOTEAM01", "DEMOKEY001", "org.example.belfry", "belfry-demo"
USER, PASSWORD = "bell", "ding dong"
ACCOUNT, TOKEN, NUMBER = "AC" + "0" * 32, "demo-token-of-twilio", "+14155550100"
PUBLIC_URL = "http://127.0.0.1:8090"
IPHONE = "1a" * 32
ANDROID = "android-of-lea"
PAPER_FILES = ("ca.pem", "server.pem", "apns.p8", "vapid.pem", "google.json", "browser.json")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Papers:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, name):
        return self.folder / name

    def write(self, name, text):
        descriptor = os.open(self.path(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)

    def ports(self):
        """The ports of last time; 0 for any."""
        try:
            return json.loads(self.path("ports.json").read_text())
        except (OSError, ValueError):
            return {"push": 0, "mail": 0}

    def prepare(self):
        if not all(self.path(name).exists() for name in PAPER_FILES):
            self.make_certificates()
            self.make_keys()
        self.write("smtp.password", PASSWORD + "\n")
        self.write("twilio.token", TOKEN + "\n")
        if not self.path("links.secret").exists():
            self.write("links.secret", base64url(os.urandom(32)) + "\n")

    def make_certificates(self):
        authority = trustme.CA()
        server = authority.issue_cert("127.0.0.1", "localhost")
        self.write("ca.pem", authority.cert_pem.bytes().decode())
        self.write("server.pem", server.private_key_and_cert_chain_pem.bytes().decode())

    def make_keys(self):
        self.write("apns.p8", pem(ec.generate_private_key(ec.SECP256R1())))
        self.write("vapid.pem", pem(ec.generate_private_key(ec.SECP256R1())))
        self.write("google.json", json.dumps({
            "type": "service_account", "project_id": PROJECT, "private_key_id": "demo",
            "private_key": pem(rsa.generate_private_key(65537, 2048)),
            "client_email": f"bell@{PROJECT}.iam.gserviceaccount.com", "token_uri": ""}))
        self.write("browser.json", json.dumps({
            "key": pem(ec.generate_private_key(ec.SECP256R1())), "auth": base64url(os.urandom(16))}))

    def browser(self):
        """The keys of the browser that subscribed: private key, public point, and what it shares with senders."""
        kept = json.loads(self.path("browser.json").read_text())
        key = serialization.load_pem_private_key(kept["key"].encode(), None)
        point = key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return key, base64url(point), kept["auth"]

    def publish(self, push, mail):
        """Writes what hangs on the ports, once they are known."""
        self.write("ports.json", json.dumps({"push": push, "mail": mail}))
        origin = f"https://127.0.0.1:{push}"
        account = json.loads(self.path("google.json").read_text())
        account["token_uri"] = f"{origin}/token"
        self.write("google.json", json.dumps(account))
        server = {"url": origin, "ca_file": "ca.pem"}
        self.write("senders.json", json.dumps({
            "public_url": PUBLIC_URL, "secret_file": "links.secret",
            "push": {
                "fallback": True,
                "apns": {"key_file": "apns.p8", "key_id": KEY, "team_id": TEAM, "topic": TOPIC, **server},
                "fcm": {"key_file": "google.json", **server},
                "webpush": {"key_file": "vapid.pem", "subject": "mailto:bell@belfry.dev", "trusted": [origin],
                            "page": "https://belfry.dev/", "ca_file": "ca.pem"}},
            "email": {"smtp": {"url": f"smtp://127.0.0.1:{mail}", "user": USER, "password_file": "smtp.password",
                               "from": "Belfry <bell@belfry.dev>", "ca_file": "ca.pem"}},
            "sms": {"twilio": {"account": ACCOUNT, "token_file": "twilio.token", "from": NUMBER, **server}},
        }, indent=2) + "\n")
        self.write("people.jsonl", "".join(json.dumps(fact) + "\n" for fact in self.people(origin)))

    def people(self, origin):
        """Ana has an iPhone, a mailbox and a number; Lea has an Android phone and a browser."""
        _, point, auth = self.browser()
        yield fact("user_enrolled", "ana", timezone="Europe/Paris", email="ana@example.org", phone="+14155550123")
        yield fact("contact_changed", "ana", phone="+14155550123", phone_verified=True)
        yield fact("device_registered", "ana", device="iphone", platform="ios", token=IPHONE)
        yield fact("user_enrolled", "lea", timezone="America/New_York", email="lea@example.org")
        yield fact("device_registered", "lea", device="pixel", platform="android", token=ANDROID)
        yield fact("device_registered", "lea", device="browser", platform="web", token=f"{origin}/push/lea",
                   p256dh=point, auth=auth)


def fact(kind, user, **data):
    return {"type": kind, "user": user, "data": data}


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()

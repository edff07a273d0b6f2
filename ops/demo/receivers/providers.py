"""What Apple, Google, a browser's push service and Twilio answer, and what the phones behind them show."""

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
import time
import urllib.error
import urllib.parse
import urllib.request

import http_ece
import jwt
from cryptography.hazmat.primitives import serialization

from . import papers, screen
from .http2 import Answer


class Providers:
    def __init__(self, kept):
        self.kept = kept
        self.numbers = itertools.count(1)
        self.browser_key, _, auth = kept.browser()
        self.browser_auth = base64.urlsafe_b64decode(auth + "==")

    def answer(self, request):
        path = urllib.parse.urlsplit(request.path).path
        if path.startswith("/3/device/"):
            return self.apns(request, path[len("/3/device/"):])
        if path == "/token":
            return self.google_token(request)
        if path == f"/v1/projects/{papers.PROJECT}/messages:send":
            return self.fcm(request)
        if path.startswith("/push/"):
            return self.web_push(request, path)
        if path.startswith(f"/2010-04-01/Accounts/{papers.ACCOUNT}"):
            return self.twilio(request, path)
        return Answer(404, {"error": "there is nothing here"})

    # Apple

    def apns(self, request, token):
        if problem := self.apns_problem(request):
            screen.note(f"Apple: {problem}")
            return Answer(403, {"reason": problem})
        if request.method != "POST":
            return Answer(405, {"reason": "MethodNotAllowed"})
        if request.headers.get("apns-topic") != papers.TOPIC:
            return Answer(400, {"reason": "BadTopic"})
        if token.startswith("dead"):
            screen.note(f"Apple: the iPhone {token[:8]}… is gone")
            return Answer(410, {"reason": "Unregistered", "timestamp": int(time.time() * 1000)})
        if token.startswith("b5b5"):
            return Answer(429, {"reason": "TooManyRequests"}, retry_after="5")
        message = request.json()
        aps = message.get("aps", {})
        alert = aps.get("alert", {})
        foot = [presence(aps), *(f"badge {aps['badge']}" for _ in [0] if "badge" in aps)]
        screen.show(f"iPhone {token[:8]}…", [alert.get("title", ""), alert.get("body", "")], " · ".join(foot))
        return Answer(200, None, apns_id=request.headers.get("apns-id", ""))

    def apns_problem(self, request):
        public = serialization.load_pem_private_key(self.kept.path("apns.p8").read_bytes(), None).public_key()
        shown = request.headers.get("authorization", "").partition(" ")[2]
        try:
            claims = jwt.decode(shown, public, algorithms=["ES256"], options={"verify_iat": False})
        except jwt.InvalidTokenError:
            return "InvalidProviderToken"
        if claims.get("iss") != papers.TEAM or jwt.get_unverified_header(shown).get("kid") != papers.KEY:
            return "InvalidProviderToken"
        return None if abs(time.time() - claims.get("iat", 0)) < 3600 else "ExpiredProviderToken"

    # Google

    def google_token(self, request):
        account = json.loads(self.kept.path("google.json").read_text())
        public = serialization.load_pem_private_key(account["private_key"].encode(), None).public_key()
        form = dict(urllib.parse.parse_qsl(request.body.decode()))
        try:
            jwt.decode(form.get("assertion", ""), public, algorithms=["RS256"],
                       audience="https://oauth2.googleapis.com/token", issuer=account["client_email"], leeway=60)
        except jwt.InvalidTokenError:
            return Answer(400, {"error": "invalid_grant"})
        return Answer(200, {"access_token": "demo-access", "expires_in": 3600, "token_type": "Bearer"})

    def fcm(self, request):
        if request.headers.get("authorization") != "Bearer demo-access":
            return Answer(401, {"error": {"status": "UNAUTHENTICATED"}})
        message = request.json().get("message", {})
        token = message.get("token") or message.get("fid", "")
        if token.startswith("dead"):
            screen.note(f"Google: the phone {token[:12]}… is gone")
            detail = {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "UNREGISTERED"}
            return Answer(404, {"error": {"status": "NOT_FOUND", "details": [detail]}})
        if token.startswith("busy"):
            return Answer(429, {"error": {"status": "RESOURCE_EXHAUSTED"}}, retry_after="5")
        notification, android = message.get("notification", {}), message.get("android", {})
        foot = [android.get("notification", {}).get("channel_id") or "data only"]
        if badge := android.get("notification", {}).get("notification_count"):
            foot.append(f"badge {badge}")
        screen.show(f"Android {token[:16]}", [notification.get("title", ""), notification.get("body", "")],
                    " · ".join(foot))
        return Answer(200, {"name": f"projects/{papers.PROJECT}/messages/{next(self.numbers)}"})

    # A browser

    def web_push(self, request, path):
        if "vapid" not in request.headers.get("authorization", ""):
            return Answer(401)
        plain = http_ece.decrypt(bytes(request.body), private_key=self.browser_key, auth_secret=self.browser_auth)
        notification = json.loads(plain).get("notification", {})
        screen.show(f"Browser of {path.rsplit('/', 1)[1]}", [notification.get("title", ""), notification.get("body", "")],
                    f"a click opens {notification.get('navigate', '')}")
        return Answer(201, None, location=f"https://127.0.0.1/m/{next(self.numbers)}")

    # Twilio

    def twilio(self, request, path):
        expected = "Basic " + base64.b64encode(f"{papers.ACCOUNT}:{papers.TOKEN}".encode()).decode()
        if request.headers.get("authorization") != expected:
            return Answer(401, {"code": 20003, "message": "Authenticate"})
        if request.method == "GET":
            return Answer(200, {"sid": papers.ACCOUNT, "status": "active", "type": "Full"})
        form = dict(urllib.parse.parse_qsl(request.body.decode()))
        to = form.get("To", "")
        if to.endswith("0000"):
            screen.note(f"Twilio: {to} is no number of a phone")
            return Answer(400, {"code": 21211, "message": "Invalid 'To' Phone Number"})
        sid = f"SM{next(self.numbers):032x}"
        screen.show(f"Phone {to}", [form.get("Body", "")], f"text from {form.get('From', '')}")
        if callback := form.get("StatusCallback"):
            asyncio.get_running_loop().call_later(1, self.report, callback, sid, to)
        return Answer(201, {"sid": sid, "status": "queued"})

    def report(self, callback, sid, to):
        """Tells whoever sent a text that it arrived, signed as Twilio does."""
        asyncio.get_running_loop().run_in_executor(None, post_report, callback, {
            "AccountSid": papers.ACCOUNT, "From": papers.NUMBER, "MessageSid": sid, "MessageStatus": "delivered",
            "SmsSid": sid, "SmsStatus": "delivered", "To": to})


def post_report(callback, fields):
    text = callback + "".join(name + fields[name] for name in sorted(fields))
    signature = base64.b64encode(hmac.new(papers.TOKEN.encode(), text.encode(), hashlib.sha1).digest()).decode()
    request = urllib.request.Request(
        callback, urllib.parse.urlencode(fields).encode(), {"X-Twilio-Signature": signature})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        opener.open(request, timeout=10).close()
        screen.note(f"Twilio: told {urllib.parse.urlsplit(callback).netloc} that the text to {fields['To']} arrived")
    except (OSError, urllib.error.URLError) as error:
        screen.note(f"Twilio: could not tell {urllib.parse.urlsplit(callback).netloc} of the text: {error}")


def presence(aps):
    """How an iPhone makes itself heard."""
    if not aps.get("alert"):
        return "badge only, in silence"
    return "with sound" if "sound" in aps else "in silence"

"""Sends messages with firebase-admin to a server of its own, and tells what came in there.

Reads one JSON object a line: what a message is to say, and the bytes that Belfry would send ("ours").
Prints for each both messages, their members sorted: what firebase-admin sent, and Belfry's.
"""

import json
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

import firebase_admin
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import credentials, messaging

warnings.simplefilter("ignore")
seen = []


class Firebase(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/token":
            return self.answer({"access_token": "t-1", "expires_in": 3600})
        seen.append((self.path, self.headers["Authorization"], json.loads(body)))
        self.answer({"name": "projects/belfry-tests/messages/1"})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Firebase)
threading.Thread(target=server.serve_forever, daemon=True).start()
origin = f"http://127.0.0.1:{server.server_port}"
key = rsa.generate_private_key(65537, 2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
messaging._MessagingService.FCM_URL = origin + "/v1/projects/{0}/messages:send"
firebase_admin.initialize_app(credentials.Certificate({
    "type": "service_account", "project_id": "belfry-tests", "private_key_id": "k", "private_key": key,
    "client_email": "a@b.example", "token_uri": origin + "/token"}))


def message(asked):
    android, apns, webpush = asked.get("android"), asked.get("apns"), asked.get("webpush")
    shown = "title" in asked or "body" in asked
    return messaging.Message(
        token=asked.get("token"), fid=asked.get("fid"), data=asked.get("data"),
        notification=messaging.Notification(asked.get("title"), asked.get("body")) if shown else None,
        android=android and messaging.AndroidConfig(
            priority=android["priority"], ttl=android["ttl"],
            notification=messaging.AndroidNotification(
                sound=android.get("sound"), tag=android["tag"], click_action=android.get("click_action"),
                channel_id=android["channel"], priority=android["shown_as"], visibility="private",
                notification_count=android.get("count")) if shown else None),
        apns=apns and messaging.APNSConfig(
            headers=apns["headers"],
            payload=messaging.APNSPayload(messaging.Aps(
                alert=messaging.ApsAlert(title=asked.get("title"), body=asked.get("body")) if shown else None,
                badge=apns.get("badge"), sound=apns.get("sound"), category=apns.get("category"),
                thread_id=apns.get("thread"), content_available=apns.get("wakes"), custom_data=apns.get("custom")))),
        webpush=webpush and messaging.WebpushConfig(
            headers=webpush["headers"],
            notification=messaging.WebpushNotification(
                tag=webpush["tag"], silent=webpush["silent"]) if shown else None,
            fcm_options=messaging.WebpushFCMOptions(webpush["link"]) if "link" in webpush else None))


def sorted_text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


for line in sys.stdin.readlines():
    asked = json.loads(line)
    messaging.send(message(asked))
    path, authorization, theirs = seen.pop()
    print(json.dumps({"path": path, "authorization": authorization, "theirs": sorted_text(theirs),
                      "ours": sorted_text(json.loads(asked["ours"]))}))

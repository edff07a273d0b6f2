"""A provider of push over HTTP/2, as APNs, FCM and push services of browsers are, that behaves as an address says.

Prints its port, ends with a line from its standard input or its end, and then prints what has come: one JSON list. Takes the file that its
authority's certificate is written to, then options: `one-stream` (as APNs, it allows one stream until one was answered), `hold-texts` (texts are
held). Of what is held it prints `held` when it comes, and answers nothing before a line `answer` from its input.

An address is what APNs' path holds in hexadecimal, the last part of any other path, an FCM message's
token or fid, or Twilio's account:
`ok`, `STATUS`, `STATUS-CODE` (in the provider's own JSON), `STATUS-CODE-TIMESTAMP`, `after-SECONDS`, `hang`, `huge`, `html`,
`redirect`, `held-` before any of these, `late`, whose body is whole and whose end comes with the connection's next `finish`, `abort`, which cuts the connection off at the second call with it, and `goaway`, `reset`, `close`, which do so to the first call with each and take the next.
"""

import contextlib
import json
import os
import socket
import ssl
import struct
import sys
import threading

import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset, WindowUpdated
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings

seen, lock, failed_once, aborted = [], threading.Lock(), set(), []
is_one_stream = "one-stream" in sys.argv[2:]
may_answer_held = threading.Event()
huge = 100 << 20


class Provider(threading.Thread):
    def __init__(self, plain, number):
        super().__init__(daemon=True)
        self.plain, self.number = plain, number
        self.asked, self.unsent, self.told, self.late = {}, {}, {}, []

    def run(self):
        try:
            self.socket = context.wrap_socket(self.plain, server_side=True)
            self.talk()
        except (OSError, ssl.SSLError, ProtocolError):
            pass
        finally:
            self.plain.close()

    def talk(self):
        self.http = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.http.local_settings = Settings(
            client=False, initial_values={SettingCodes.MAX_CONCURRENT_STREAMS: 1 if is_one_stream else 1000})
        self.http.initiate_connection()
        self.flush()
        while data := self.socket.recv(65536):
            for event in self.http.receive_data(data):
                self.hear(event)
            self.flush()

    def flush(self):
        if data := self.http.data_to_send():
            self.socket.sendall(data)

    def hear(self, event):
        if isinstance(event, RequestReceived):
            self.asked[event.stream_id] = (dict(event.headers), bytearray())
        elif isinstance(event, DataReceived):
            self.asked[event.stream_id][1].extend(event.data)
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, StreamEnded):
            self.answer(event.stream_id, *self.asked.pop(event.stream_id))
        elif isinstance(event, StreamReset):
            self.unsent.pop(event.stream_id, None)
            if event.stream_id in self.told:
                self.told[event.stream_id]["is_reset"] = True
        elif isinstance(event, WindowUpdated):
            for stream in list(self.unsent):
                self.send_more(stream)

    def answer(self, stream, headers, body):
        path = headers[":path"]
        one = {"connection": self.number, "path": path, "headers": headers, "body": body.hex(), "is_reset": False}
        self.told[stream] = one
        with lock:
            seen.append(one)
        if path == "/token":
            with lock:
                count = sum(one["path"] == "/token" for one in seen)
            return self.send(stream, 200, {"access_token": f"t-{count}", "expires_in": 3600})
        address = self.address(path, body)
        is_held = address.startswith("held-") or "hold-texts" in sys.argv[2:] and path.endswith("/Messages.json")
        if is_held and not may_answer_held.is_set():
            os.write(1, b"held\n")  # at once: print may put another thread's word in front of the line's end
            may_answer_held.wait()
        kind, *rest = address.removeprefix("held-").split("-")
        if kind in ("goaway", "reset", "close"):
            with lock:
                is_first = address not in failed_once
                failed_once.add(address)
            if is_first:
                return getattr(self, kind)(stream)
        if kind == "abort":
            aborted.append(address)
            if aborted.count(address) == 2:
                return self.abort(stream)
        if kind == "hang":
            return
        if kind == "after":
            headers = [("retry-after", rest[0])]
            return self.send(stream, 503, {}, headers)
        if kind == "redirect":
            return self.send(stream, 307, {}, [("location", "https://127.0.0.1/")])
        if kind == "html":
            return self.send(stream, 502, b"<html>" + b"x" * 5000)
        if kind == "page":
            return self.send(stream, int(rest[0]), b"<html>Please sign in</html>")
        if kind == "nothing":
            return self.send(stream, int(rest[0]), {})
        if kind == "huge":
            self.http.send_headers(stream, [(":status", "200"), ("content-length", str(huge))])
            self.unsent[stream] = huge
            return self.send_more(stream)
        if kind == "expired" and headers.get("authorization") in first_tokens(headers.get("authorization")):
            return self.send(stream, 403, {"reason": "ExpiredProviderToken"})
        if kind == "unauthorized" and headers.get("authorization") == "Bearer t-1":
            return self.send(stream, 401, {"error": {"status": "UNAUTHENTICATED"}})
        if kind.isdigit():
            return self.refuse(stream, int(kind), rest)
        taken = {"name": f"projects/p/messages/{stream}", "sid": f"SM{stream}"}
        self.send(stream, 201 if "/push/" in path else 200, taken,
                  [("apns-id", headers.get("apns-id", "")), ("location", f"https://push.example/{stream}")], kind == "late")
        if kind == "finish":
            while self.late:
                self.http.end_stream(self.late.pop())
        if is_one_stream:
            self.http.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1000})

    def address(self, path, body):
        if path.startswith("/3/device/"):
            return bytes.fromhex(path[10:]).decode().rstrip(".")
        if path.startswith("/v1/projects/"):
            message = json.loads(body)["message"]
            return message.get("token") or message["fid"]
        if path.endswith("/Messages.json"):
            return path.split("/")[-2]
        return path.rsplit("/", 1)[-1]

    def refuse(self, stream, status, rest):
        body = {}
        if rest:
            detail = {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": rest[0]}
            body = {"reason": rest[0], "code": int(rest[0]) if rest[0].isdigit() else None,
                    "error": {"status": rest[0], "details": [detail]}}
        if len(rest) > 1:
            body["timestamp"] = int(rest[1])
        self.send(stream, status, body)

    def goaway(self, stream):
        self.http.close_connection(last_stream_id=stream - 2 if stream > 1 else 0)
        self.flush()
        self.socket.unwrap()

    def reset(self, stream):
        self.http.reset_stream(stream, error_code=2)

    def close(self, stream):
        self.socket.shutdown(socket.SHUT_RDWR)

    def abort(self, stream):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.socket.detach())

    def send(self, stream, status, value, headers=(), is_late=False):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.http.send_headers(stream, [(":status", str(status)), ("content-length", str(len(body))), *headers])
        self.http.send_data(stream, body, end_stream=not is_late)
        if is_late:
            self.late.append(stream)

    def send_more(self, stream):
        while self.unsent[stream] > 0:
            room = min(self.http.local_flow_control_window(stream), self.http.max_outbound_frame_size, self.unsent[stream])
            if room <= 0:
                return
            self.unsent[stream] -= room
            self.http.send_data(stream, b"x" * room, end_stream=self.unsent[stream] == 0)
        del self.unsent[stream]


tokens_seen = []


def first_tokens(token):
    """The first token that was ever shown, which this server takes for expired."""
    with lock:
        if token not in tokens_seen:
            tokens_seen.append(token)
        return tokens_seen[:1]


authority = trustme.CA()
authority.cert_pem.write_to_path(sys.argv[1])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.set_alpn_protocols(["h2"])
authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
listener = socket.create_server(("127.0.0.1", 0), backlog=128)


def listen():
    number = 0
    while True:
        plain, _ = listener.accept()
        number += 1
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Provider(plain, number).start()


threading.Thread(target=listen, daemon=True).start()
print(listener.getsockname()[1], flush=True)
while sys.stdin.readline() == "answer\n":
    may_answer_held.set()
with contextlib.suppress(BrokenPipeError):  # who asks may be gone
    print(json.dumps(seen), flush=True)
os._exit(0)

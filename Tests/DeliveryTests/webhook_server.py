"""A receiver of webhooks that behaves as its path says. Prints its port; ends when its standard input ends.

With a path as its argument it listens on a Unix socket there instead, and prints 0.
`GET /seen` tells what has come: one object a request, with the number of its connection.
"""

import json
import os
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen, lock, connections = [], threading.Lock(), 0


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave together: with Nagle's algorithm between them, each answer would take 40 ms.
    wbufsize = -1
    disable_nagle_algorithm = True

    def setup(self):
        global connections
        super().setup()
        with lock:
            connections += 1
            self.number = connections

    def do_GET(self):
        self.answer(200, json.dumps(seen).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name = self.path.strip("/")
        with lock:
            before = sum((one["path"], one["id"]) == (self.path, self.headers.get("webhook-id")) for one in seen)
            seen.append({"path": self.path, "id": self.headers.get("webhook-id"), "body": body.decode(),
                         "timestamp": self.headers.get("webhook-timestamp"), "connection": self.number,
                         "stop": self.headers.get("List-Unsubscribe"),
                         "post": self.headers.get("List-Unsubscribe-Post"), "type": self.headers.get("Content-Type"), "expect": self.headers.get("Expect"),
                         "signature": self.headers.get("webhook-signature")})
        if name.startswith("status-"):
            return self.answer(int(name[7:]))
        getattr(self, "do_" + name.replace("-", "_"))(before)

    def do_ok(self, _):
        self.answer(200, b"thanks", {"X-Request-Id": "r-1"})

    def do_twice(self, before):
        self.answer(500 if before == 0 else 204)

    def do_redirect(self, _):
        self.answer(302, headers={"Location": "/ok"})

    def do_slow_down(self, _):
        self.answer(429, headers={"Retry-After": "7"})

    def do_limit(self, _):
        self.answer(429)

    def do_away(self, _):
        self.answer(503, headers={"Retry-After": "Thu, 01 Jan 2026 00:00:30 GMT"})

    def do_gone(self, _):
        self.answer(410)

    def do_early(self, _):
        self.answer(425)

    def do_hang(self, _):
        threading.Event().wait()

    def do_huge(self, _):
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 40))
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    def do_long(self, _):
        self.answer(200, b"".join(bytes([number % 251]) * 4096 for number in range(2048)))

    def do_cut(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(b"x" * 1000)
        self.close_connection = True

    def do_drip(self, _):
        self.send_response(202)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.flush()
        threading.Event().wait()

    def do_nonsense(self, _):
        self.wfile.write(b"this is not HTTP\r\n\r\n")
        self.close_connection = True

    def answer(self, status, body=b"", headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "client"

    def log_message(self, *_):
        pass


class UnixReceiver(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    pass


if len(sys.argv) > 1:
    Receiver.disable_nagle_algorithm = False
    server = UnixReceiver(sys.argv[1], Receiver)
    port = 0
else:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    port = server.server_address[1]
server.daemon_threads = True
server.request_queue_size = 128
threading.Thread(target=server.serve_forever, daemon=True).start()
print(port, flush=True)
sys.stdin.read()
os._exit(0)

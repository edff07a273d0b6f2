"""A receiver of webhooks that takes a job, refuses it for now, or does not answer, as its id and try fall out.

Prints its port; ends when its standard input ends. `POST /heal` makes it take everything from then on. `GET /seen` tells
every body that came under each id, without repetitions.
"""

import json
import os
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen, tries, lock, healed = {}, {}, threading.Lock(), threading.Event()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        with lock:
            body = json.dumps({"tries": sum(tries.values()), "bodies": seen})
        self.answer(200, body.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/heal":
            healed.set()
            return self.answer(200)
        job = self.headers.get("webhook-id")
        with lock:
            tries[job] = tries.get(job, 0) + 1
            mood = zlib.crc32(f"{job} {tries[job]}".encode()) % 20
            bodies = seen.setdefault(job, [])
            if body not in bodies:
                bodies.append(body)
        if healed.is_set() or mood < 11:
            self.answer(200)
        elif mood < 18:
            self.answer(500)
        else:
            healed.wait(1)
            self.close_connection = True

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # Whoever asked was killed.

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
server.daemon_threads = True
server.request_queue_size = 128
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
os._exit(0)

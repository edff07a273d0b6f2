#!/usr/bin/env python3
"""What many open streams cost a worker: how long a fact takes to reach all of them, and how fast facts are told meanwhile.

    ops/benchmarks/streams.py BELFRY [STREAMS] [QUERY]     BELFRY is the program, such as .build/release/belfry

QUERY is what each stream asks for (type=app_opened); {n} in it is the stream's number. Prints one JSON object. `ulimit -n` must
leave room for the streams, on both sides. The reader is one process on the same machine and gives way to the worker.
"""

import http.client
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = 8
ROUNDS = 10
TOKEN = "a-token-that-is-long-enough-for-anybody-0123456789"


class Worker:
    def __init__(self, program, folder):
        path = os.path.join(folder, "token")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(TOKEN)
        self.process = subprocess.Popen(
            [program, "run", "--data", os.path.join(folder, "log"), "--jobs", "spool:" + os.path.join(folder, "out"),
             "--listen", "127.0.0.1:0", "--token-file", path],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=folder)
        self.port = None
        for line in self.process.stderr:
            said = json.loads(line)
            if said["message"] == "listening":
                self.port = int(said["address"].rpartition(":")[2])
            if said["message"] == "running":
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def resident_mib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) >> 10 for line in file if line.startswith("VmRSS"))

    def stop(self):
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        return round(time.monotonic() - start, 2)


def post(connection, body):
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/x-ndjson"}
    connection.request("POST", "/v1/facts", body, headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, answer.status


def rate(port):
    """Facts a second: 8 connections, 512 a request, of a type that nobody follows."""
    counts = [0] * 8
    end = time.monotonic() + SECONDS

    def tell(place):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        line = '{"type":"points_earned","user":"%s","data":{"points":1}}\n'
        body = "".join(line % f"u{place}-{number % 97}" for number in range(512)).encode()
        while time.monotonic() < end:
            post(connection, body)
            counts[place] += 512

    threads = [threading.Thread(target=tell, args=(place,)) for place in range(8)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return round(sum(counts) / (time.monotonic() - start))


class Readers:
    def __init__(self, port, count, query):
        self.poll, self.sockets = select.epoll(), {}
        for number in range(count):
            one = socket.create_connection(("127.0.0.1", port))
            one.sendall(
                f"GET /v1/events?{query.replace('{n}', str(number))} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Authorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n\r\n".encode())
            one.setblocking(False)
            self.sockets[one.fileno()] = one
            self.poll.register(one.fileno(), select.EPOLLIN)
        self.until(b"retry: 1000")

    def until(self, marker):
        """Reads what comes until every stream has brought the marker."""
        missing, held = set(self.sockets), {}
        while missing:
            ready = self.poll.poll(60)
            assert ready, f"{len(missing)} streams have not brought {marker}"
            for descriptor, _ in ready:
                piece = self.sockets[descriptor].recv(65536)
                assert piece, "a stream ended"
                if descriptor in missing:
                    held[descriptor] = held.get(descriptor, b"") + piece
                    if marker in held[descriptor]:
                        missing.discard(descriptor)
                        del held[descriptor]


def main():
    program, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    query = sys.argv[3] if len(sys.argv) > 3 else "type=app_opened"
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 1024, hard), hard))
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(program, folder)
        report = {"streams": count, "query": query, "facts_per_second_without": rate(worker.port)}
        report["resident_mib_without"] = worker.resident_mib()
        start = time.monotonic()
        readers = Readers(worker.port, count, query)
        report["opening_seconds"] = round(time.monotonic() - start, 2)
        connection = http.client.HTTPConnection("127.0.0.1", worker.port)
        delays = []
        for number in range(ROUNDS):
            marker = f"marker-{number}-"
            start = time.monotonic()
            post(connection, f'{{"type":"app_opened","user":"anna","id":"{marker}"}}\n'.encode())
            readers.until(marker.encode())
            delays.append(round(time.monotonic() - start, 3))
            connection.close()
        report["reaches_all_seconds"] = delays
        report["facts_per_second_with"] = rate(worker.port)
        report["resident_mib_with"] = worker.resident_mib()
        report["stop_seconds"] = worker.stop()
    report["ratio"] = round(report["facts_per_second_with"] / report["facts_per_second_without"], 3)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

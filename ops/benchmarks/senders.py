#!/usr/bin/env python3
"""How fast a worker sends, everything real: tokens signed, connections encrypted, every outcome recorded.

Usage: ops/benchmarks/senders.py BELFRY [--only ROW]… [--quick] [--json FILE]

BELFRY is a release binary. Rows: push (to nghttpd, an HTTP/2 server), peer (aioapns sending the same to the same server),
hang (push while another provider accepts connections and never answers), mail (to postfix's smtp-sink), memory (of a
million devices). Takes Debian's nghttp2-server, postfix and openssl; peer takes aioapns from PyPI.

A job's time is that of the log: from its job_emitted to its job_delivered.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

POLICY = {
    "name": "bench", "addresses": "here",
    "kinds": [
        {"name": "news", "priority": "critical", "on_request": True, "channels": ["push"]},
        {"name": "letter", "priority": "critical", "on_request": True, "channels": ["email"]},
    ],
}


def main():
    parser = argparse.ArgumentParser(add_help=True, description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("belfry", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=["push", "peer", "hang", "mail", "memory"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="belfry-senders-") as folder:
        bench = Bench(options.belfry.resolve(), pathlib.Path(folder), 10 if options.quick else 1)
        for name in options.only or ["push", "peer", "hang", "mail", "memory"]:
            rows += getattr(bench, name)()
    print("\n| what | measured | goal | met |\n|---|---|---|---|")
    for row in rows:
        met = "" if row["met"] is None else "yes" if row["met"] else "no"
        print(f"| {row['what']} | {row['measured']} | {row['goal']} | {met} |")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def row(what, measured, goal="", met=None, **values):
    print(f"  {what}: {measured}", file=sys.stderr, flush=True)
    return {"what": what, "measured": measured, "goal": goal, "met": met, **values}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


class Bench:
    def __init__(self, belfry, folder, divisor):
        self.belfry, self.folder, self.divisor = belfry, folder, divisor
        self.rate = None
        self.secrets()

    def secrets(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "apns.p8")
        openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "fcm.pem")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "tls.key",
                "-out", "tls.crt", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        (self.folder / "policy.json").write_text(json.dumps(POLICY))

    # Parts

    @contextlib.contextmanager
    def apple(self, tokens):
        """An HTTP/2 server in C that answers 200 for every device's path, with an apns-id as Apple does."""
        root = self.folder / f"apple-{secrets.token_hex(4)}"
        (root / "3/device").mkdir(parents=True)
        for token in tokens:
            (root / "3/device" / token).write_text("-")  # nothing has no trailer
        port = free_port()
        server = subprocess.Popen(
            ["nghttpd", "--trailer", "apns-id: nghttpd", "-d", root, str(port), self.folder / "tls.key",
             self.folder / "tls.crt"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            yield port
        finally:
            server.kill()
            server.wait()
            shutil.rmtree(root)

    def document(self, apns=None, fcm=None, smtp=None):
        document = {"public_url": "https://bell.example.org", "push": {}}
        if apns:
            document["push"]["apns"] = {
                "key_file": "apns.p8", "key_id": "ABC123DEFG", "team_id": "TEAM456789", "topic": "org.example.app",
                "url": f"https://localhost:{apns}", "ca_file": "tls.crt"}
        if fcm:
            account = {
                "type": "service_account", "project_id": "bench", "private_key_id": "k",
                "private_key": (self.folder / "fcm.pem").read_text(),
                "client_email": "bench@example.iam.gserviceaccount.com", "token_uri": f"http://127.0.0.1:{fcm}/token"}
            (self.folder / "fcm.json").write_text(json.dumps(account))
            document["push"]["fcm"] = {"key_file": "fcm.json", "url": f"http://127.0.0.1:{fcm}"}
        if smtp:
            document["email"] = {"smtp": {"url": f"smtp://127.0.0.1:{smtp}", "from": "Bench <bench@example.org>"}}
        if not document["push"]:
            del document["push"]
        path = self.folder / "senders.json"
        path.write_text(json.dumps(document))
        return path

    def log(self, facts):
        data = self.folder / f"log-{secrets.token_hex(4)}"
        source = self.folder / "facts.jsonl"
        with source.open("w") as lines:
            for fact in facts:
                lines.write(json.dumps({"at": "2026-01-01T12:00:00Z", **fact}) + "\n")
        subprocess.run([self.belfry, "import", source, "--data", data, "--policy", self.folder / "policy.json"],
                       check=True, stdout=subprocess.DEVNULL)
        return data

    @contextlib.contextmanager
    def worker(self, data, document=None):
        words = [self.belfry, "run", "--data", data, "--policy", self.folder / "policy.json"]
        if document:
            words += ["--senders", document]
        with (self.folder / "worker.log").open("w") as said:
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said)
        try:
            for _ in range(3000):
                if process.poll() is not None:
                    sys.exit((self.folder / "worker.log").read_text())
                with contextlib.suppress(OSError):
                    if ask(data, "GET", "/ready")[0] == 200:
                        break
                time.sleep(0.02)
            yield process
        finally:
            process.terminate()
            process.wait()

    def deliver(self, data, notices, kinds):
        """Asks for notices as fast as they are taken, and waits until none is on its way."""
        lines = [json.dumps({"type": "notice_requested", "user": user, "data": {"kind": kind, "title": "News", "body": "Come and see."}})
                 for user, kind in notices]
        first = ask(data, "GET", "/health")[1]["last_seq"] + 1
        for start in range(0, len(lines), 2048):
            status, answer = ask(data, "POST", "/v1/facts", "\n".join(lines[start:start + 2048]))
            if status != 200:
                sys.exit(f"facts were refused: {answer}")
        if not kinds:
            return first
        while ask(data, "GET", "/health")[1]["waiting_jobs"] > 0:
            time.sleep(0.05)
        return first

    def times(self, data, first, kind="news"):
        """When each job of a kind was emitted and when it was taken, in milliseconds, as the log has it."""
        emitted, taken = {}, {}
        out = subprocess.Popen([self.belfry, "log", "--data", data, "--from", str(first), "--json"], stdout=subprocess.PIPE, text=True)
        for line in out.stdout:
            event = json.loads(line)
            if event["type"] == "job_emitted" and event["data"]["kind"] == kind:
                emitted[event["data"]["job"]] = milliseconds(event["at"])
            elif event["type"] == "job_delivered" and event["data"]["job"] in emitted:
                taken[event["data"]["job"]] = milliseconds(event["at"])
        out.wait()
        return emitted, taken

    # Rows

    def people(self, count, platform="ios", first=0):
        for number in range(first, first + count):
            yield {"type": "user_enrolled", "user": f"p{number}", "data": {"timezone": "UTC", "email": f"p{number}@example.org"}}
            token = f"{number:064x}" if platform == "ios" else f"token-{number}"
            yield {"type": "device_registered", "user": f"p{number}", "data": {"device": "d", "platform": platform, "token": token}}

    def push(self):
        count, each = 20_000 // self.divisor, 5
        data = self.log(self.people(count))
        with self.apple(f"{number:064x}" for number in range(count)) as port:
            with self.worker(data, self.document(apns=port)) as process:
                notices = [(f"p{number}", "news") for _ in range(each) for number in range(count)]
                first = self.deliver(data, notices, ["news"])
                connections = connections_to(process.pid, port)
        emitted, taken = self.times(data, first)
        missing = len(emitted) - len(taken)
        seconds = (max(taken.values()) - min(emitted.values())) / 1000
        rate = self.rate = len(taken) / seconds
        return [row("push jobs handed to a local HTTP/2 server (nghttpd): tokens signed, TLS, outcomes recorded",
                    f"{rate:,.0f}/s ({len(taken):,} in {seconds:.1f} s, {missing} not taken, {connections} connections)",
                    "≥ 10,000/s, ≤ 2 connections", rate >= 10_000 and missing == 0 and connections <= 2, rate=rate)]

    def peer(self):
        count = 20_000 // self.divisor
        with self.apple(f"{number:064x}" for number in range(count)) as port:
            result = subprocess.run([sys.executable, "-c", PEER, str(port), str(count), str(self.folder)],
                                    capture_output=True, text=True)
        if result.returncode:
            return [row("aioapns sending the same", "not measured: " + (result.stderr.strip().splitlines() or ["?"])[-1])]
        rate = float(result.stdout)
        beside = f", Belfry {self.rate / rate:.1f} times that" if self.rate else ""
        return [row("aioapns (PyPI) handing as many to the same server, nothing recorded", f"{rate:,.0f}/s{beside}", rate=rate)]

    def hang(self):
        """The p99 of push jobs to Apple, told at a steady rate, alone and while Google never answers: the medians of some rounds in
        turn, since one slow sync of the disk makes the p99 of a round."""
        count = 2_000 // self.divisor
        rounds = 1 if self.divisor > 1 else 5
        found = ([], [])
        with self.apple(f"{number:064x}" for number in range(count)) as port, hanging() as google:
            for turn in range(2 * rounds):
                hangs = turn % 2
                users = (lambda n: [f"p{n}", f"p{count + n}"]) if hangs else (lambda n: [f"p{n}"])
                # A log of its own for each round: jobs that hung are taken up again by the next start.
                data = self.log([*self.people(count), *self.people(count, "android", first=count)])
                with self.worker(data, self.document(apns=port, fcm=google)):
                    first = ask(data, "GET", "/health")[1]["last_seq"] + 1
                    began = time.monotonic()
                    for start in range(0, count, 10):
                        notices = [(user, "news") for number in range(start, min(start + 10, count)) for user in users(number)]
                        self.deliver(data, notices, [])
                        time.sleep(max(0, began + (start + 10) / 1000 - time.monotonic()))
                    apple = {f"p{number}" for number in range(count)}
                    for _ in range(200):
                        emitted, taken = self.times(data, first)
                        if all(job in taken for job in emitted if job.split("/")[0] in apple):
                            break
                        time.sleep(0.2)
                found[hangs].append(percentile([taken[job] - emitted[job] for job in emitted if job.split("/")[0] in apple and job in taken], 0.99))
        alone, beside = (sorted(some)[len(some) // 2] for some in found)
        ratio = beside / max(alone, 1)
        return [row("p99 of a push job from emitted to taken while another provider hangs, beside without (1,000/s)",
                    f"{beside} ms, {alone} ms: {ratio:.2f} (medians of {rounds}: {found[1]} and {found[0]})", "≤ 1.2", ratio <= 1.2, ratio=ratio)]

    def mail(self):
        count = 20_000 // self.divisor
        data = self.log(self.people(count))
        port = free_port()
        sink = subprocess.Popen(["smtp-sink", "-u", "nobody", f"127.0.0.1:{port}", "1024"], stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            with self.worker(data, self.document(smtp=port)):
                first = self.deliver(data, [(f"p{number}", "letter") for number in range(count)], ["letter"])
        finally:
            sink.kill()
            sink.wait()
        emitted, taken = self.times(data, first, "letter")
        seconds = (max(taken.values()) - min(emitted.values())) / 1000
        rate = len(taken) / seconds
        return [row("emails handed to a local SMTP server (postfix's smtp-sink), outcomes recorded",
                    f"{rate:,.0f}/s ({len(taken):,} in {seconds:.1f} s, {len(emitted) - len(taken)} not taken)",
                    "≥ 2,000/s", rate >= 2_000 and len(taken) == len(emitted), rate=rate)]

    def memory(self):
        count = 1_000_000 // self.divisor
        found = []
        for with_devices in (False, True):
            facts = self.people(count) if with_devices else (fact for fact in self.people(count) if fact["type"] == "user_enrolled")
            data = self.log(facts)
            subprocess.run([self.belfry, "snapshot", "--data", data], check=True, stdout=subprocess.DEVNULL)
            with self.worker(data) as process:
                ask(data, "POST", "/v1/facts", json.dumps({"type": "app_opened", "user": "p0"}))
                found.append(resident(process.pid))
            shutil.rmtree(data)
        each = (found[1] - found[0]) / count
        return [row("further memory of a million devices, each", f"{each:.0f} B ({found[0] >> 20} MiB without, {found[1] >> 20} MiB with)",
                    "≤ 150 B", each <= 150, bytes=each)]


def ask(data, method, path, body=None):
    connection = http.client.HTTPConnection("belfry")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(data / "belfry.sock"))
    try:
        connection.request(method, path, body, {"Content-Type": "application/x-ndjson"} if body else {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def wait_for(port):
    for _ in range(500):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    sys.exit(f"nothing listens on port {port}")


@contextlib.contextmanager
def hanging():
    """Accepts whoever comes, and never says a word."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    held = []

    def accept():
        with contextlib.suppress(OSError):
            while True:
                held.append(listener.accept()[0])

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def milliseconds(text):
    day, clock = text.rstrip("Z").split("T")
    hour, minute, second = clock.split(":")
    ordinal = time.strptime(day, "%Y-%m-%d").tm_yday
    return round((ordinal * 86400 + int(hour) * 3600 + int(minute) * 60 + float(second)) * 1000)


def connections_to(process, port):
    inodes = set()
    for entry in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            name = os.readlink(entry)
            if name.startswith("socket:["):
                inodes.add(name[8:-1])
    wanted = f"{port:04X}"
    lines = [line.split() for kind in ("tcp", "tcp6") for line in open(f"/proc/{process}/net/{kind}").readlines()[1:]]
    return sum(1 for line in lines if line[2].endswith(":" + wanted) and line[9] in inodes)


def resident(process):
    for line in open(f"/proc/{process}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


PEER = """
import asyncio, sys, time
import aioapns.connection as connection
from aioapns import APNs, NotificationRequest
from h2.events import DataReceived, ResponseReceived
port, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

class Local(connection.APNsProductionClientProtocol):
    # nghttpd does not send back the apns-id by which aioapns knows its requests, and it sends a body.
    def connection_made(self, transport):
        received = self.conn.receive_data

        def named(data):
            for event in received(data):
                if isinstance(event, ResponseReceived):
                    event.headers = [*event.headers, (b"apns-id", self.request_streams[event.stream_id].encode())]
                if isinstance(event, DataReceived):
                    self.conn.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                else:
                    yield event

        self.conn.receive_data = named
        super().connection_made(transport)

async def main():
    (Local.APNS_SERVER, Local.APNS_PORT) = ("localhost", port)
    client = APNs(key=open(folder + "/apns.p8").read(), key_id="ABC123DEFG", team_id="TEAM456789",
                  topic="org.example.app", use_sandbox=False, max_connections=2)
    client.pool.protocol_class = Local
    client.pool.ssl_context.set_alpn_protocols(["h2"])
    client.pool.ssl_context.load_verify_locations(folder + "/tls.crt")
    gate = asyncio.Semaphore(180)  # nghttpd takes 100 streams a connection

    async def one(number):
        async with gate:
            answer = await client.send_notification(NotificationRequest(
                device_token=f"{number:064x}", message={"aps": {"alert": {"title": "News", "body": "Come and see."}}}))
            assert answer.is_successful, answer.description

    start = time.monotonic()
    await asyncio.gather(*(one(number) for number in range(count)))
    print(count / (time.monotonic() - start))

asyncio.run(main())
"""

if __name__ == "__main__":
    main()

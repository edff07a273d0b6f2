#!/usr/bin/env python3
"""What the log in PostgreSQL comes to, on the machine that also runs PostgreSQL.

    ops/benchmarks/cluster.py BELFRY [--only ROW]… [--people N]     BELFRY is the program, such as .build/release/belfry

ROW is facts, lag, herd, kill, stop or growth; all of them take some ten minutes. Starts a server of its own with the settings that
Debian gives it (fsync, synchronous_commit on) and workers over it, in a temporary folder, as a user without rights. Needs
PostgreSQL 15 (with pgbench) and a C compiler. Prints one JSON object; nothing is left behind.
"""

import argparse
import datetime
import glob
import http.client
import json
import os
import pwd
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TOKEN = "a-token-that-is-long-enough-for-anybody-0123456789"
PARTITIONS = 8
BATCH = 512
DOOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "door.c")

# What others do with the same facts: message-db's function, a table with one row a fact, and a queue that is also emptied.
OTHERS_SCHEMA = """
CREATE TABLE plain (id bigserial PRIMARY KEY, person text NOT NULL, type text NOT NULL, data jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now());
CREATE INDEX ON plain (person, id);
CREATE TABLE queue (id bigserial PRIMARY KEY, due timestamptz NOT NULL DEFAULT now(), data jsonb NOT NULL);
CREATE INDEX ON queue (due);
CREATE TABLE messages (global_position bigserial PRIMARY KEY, position bigint NOT NULL, time timestamp NOT NULL
  DEFAULT (now() AT TIME ZONE 'utc'), stream_name text NOT NULL, type text NOT NULL, data jsonb, metadata jsonb,
  id uuid NOT NULL DEFAULT gen_random_uuid());
CREATE UNIQUE INDEX ON messages (id);
CREATE UNIQUE INDEX ON messages (stream_name, position);
CREATE INDEX ON messages (split_part(stream_name, '-', 1), global_position);
CREATE FUNCTION write_message(id uuid, stream_name text, type text, data jsonb) RETURNS bigint AS $$
DECLARE place bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(split_part(write_message.stream_name, '-', 1), 0));
  SELECT coalesce(max(position), -1) + 1 INTO place FROM messages WHERE messages.stream_name = write_message.stream_name;
  INSERT INTO messages (id, stream_name, position, type, data)
    VALUES (write_message.id, write_message.stream_name, place, write_message.type, write_message.data);
  RETURN place;
END $$ LANGUAGE plpgsql;
"""
FACT = """jsonb_build_object('points', 1, 'subject', 'child:' || n)"""
OTHERS = {
    "message_db": f"SELECT count(write_message(gen_random_uuid(), 'person-' || (random() * 10000)::int, 'points_earned', {FACT}))"
                  f" FROM generate_series(1, {BATCH}) n;",
    "plain_table": f"INSERT INTO plain (person, type, data) SELECT 'u' || (random() * 10000)::int, 'points_earned', {FACT}"
                   f" FROM generate_series(1, {BATCH}) n;",
    "skip_locked_queue": f"INSERT INTO queue (data) SELECT {FACT} FROM generate_series(1, {BATCH}) n;\n"
                         f"WITH taken AS (SELECT id FROM queue WHERE due <= now() ORDER BY due LIMIT {BATCH} FOR UPDATE SKIP LOCKED)"
                         f" DELETE FROM queue USING taken WHERE queue.id = taken.id;",
}


def of_one(script):
    """The same of one fact: a statement and a transaction each, as most programs use them."""
    return script.replace(f"generate_series(1, {BATCH})", "generate_series(1, 1)").replace(f"LIMIT {BATCH}", "LIMIT 1")


class Server:
    """PostgreSQL as Debian configures it, reached over a socket in its folder."""

    def __init__(self, folder):
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.folder = os.path.join(folder, "pg")
        os.mkdir(self.folder)
        self.user = None
        if os.geteuid() == 0:
            # The server refuses to run as root.
            self.user = pwd.getpwnam("nobody")
            os.chmod(folder, 0o755)
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        data = os.path.join(self.folder, "data")
        self.run("initdb", "-D", data, "-U", "belfry", "-A", "trust", "--no-sync")
        self.process = subprocess.Popen(
            [f"{self.bin}/postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=", "-c", "max_connections=200"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.identity())
        while subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", self.folder]).returncode:
            time.sleep(0.1)

    def identity(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def run(self, program, *words, text=None):
        return subprocess.run([f"{self.bin}/{program}", *words], input=text, text=True, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, **self.identity()).stdout

    def database(self, name):
        self.run("psql", "-q", "-U", "belfry", "-h", self.folder, "-d", "postgres", "-c", f"CREATE DATABASE {name}")
        return f"postgres://belfry@/{name}?host={self.folder}"

    def sql(self, name, text):
        return self.run("psql", "-q", "-U", "belfry", "-h", self.folder, "-d", name, "-v", "ON_ERROR_STOP=1", text=text)

    def bench(self, name, script, seconds, facts=BATCH):
        """Facts a second of eight clients that each run a script of so many facts again and again."""
        path = os.path.join(self.folder, "script.sql")
        with open(path, "w") as file:
            file.write(script)
        os.chmod(path, 0o644)
        said = self.run("pgbench", "-n", "-U", "belfry", "-h", self.folder, "-c", "8", "-j", "2", "-T", str(seconds), "-f",
                        path, name)
        return round(float(re.search(r"tps = ([0-9.]+)", said)[1]) * facts)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Worker:
    def __init__(self, program, folder, name, *words):
        self.folder, self.data = folder, os.path.join(folder, name)
        self.process = subprocess.Popen(
            [program, "run", "--data", self.data, "--jobs", "stdout", "--listen", "127.0.0.1:0", "--token-file",
             os.path.join(folder, "token"), *words],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=folder)
        self.port = None
        for line in self.process.stderr:
            said = json.loads(line) if line.startswith(b"{") else {"message": ""}
            if said["message"] == "listening":
                self.port = int(said["address"].rpartition(":")[2])
            if said["message"] == "running":
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        while self.ask("GET", "/health")[0] != 200:
            time.sleep(0.05)

    def ask(self, method, path, body=None, timeout=120):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body,
                               {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/x-ndjson"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def sent(self):
        """How many jobs were decided, by the worker's own count, which is of what is durable."""
        text = self.ask("GET", "/metrics")[1]
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines()
                   if line.startswith("belfry_decisions_total{") and 'outcome="emitted"' in line)

    def lag(self):
        """The bounds and counts of the histogram of what became durable how long after its moment."""
        text = self.ask("GET", "/metrics")[1]
        return [(float(bound.replace("+Inf", "inf")), float(count)) for bound, count in
                re.findall(r'belfry_fire_lag_seconds_bucket\{.*?le="([^"]+)".*?\} ([0-9.e+]+)', text)]

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()


class Bench:
    def __init__(self, program, folder, people):
        self.program, self.folder, self.people = program, folder, people
        for name, text in (("token", TOKEN), ("key", "".join(f"{(n * 7 + 13) % 256:02x}" for n in range(64)))):
            with open(os.open(os.path.join(folder, name), os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
                file.write(text + "\n")
        self.door = os.path.join(folder, "door")
        subprocess.run(["cc", "-O2", "-pthread", "-o", self.door, DOOR], check=True)
        self.server = Server(folder)

    def cluster(self, name):
        url = self.server.database(name)
        subprocess.run([self.program, "cluster", "create", "--postgres", url, "--partitions", str(PARTITIONS)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return url

    def worker(self, url, name, *words):
        return Worker(self.program, self.folder, name, "--postgres", url, "--master-key-file",
                      os.path.join(self.folder, "key"), *words)

    def owned(self, url, workers):
        """Waits until every partition has an owner, all workers have some, and none changes hands."""
        seen, same = None, 0
        while same < 10:
            lines = subprocess.run([self.program, "cluster", "status", "--postgres", url, "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
            owners = {row["partition"]: row["owner"] for row in map(json.loads, lines)}
            isWhole = None not in owners.values() and len(set(owners.values())) == workers
            same = same + 1 if isWhole and owners == seen else 0
            seen = owners
            time.sleep(0.1)
        return owners

    def through_the_door(self, data, seconds):
        said = subprocess.run([self.door, os.path.join(data, "belfry.sock"), str(seconds)], stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        return round(float(re.search(r"[0-9]+(\.[0-9]+)?", said)[0]))

    # Rows

    def facts(self):
        """Facts through the door, durable in the database, beside the same as rows."""
        url = self.cluster("facts")
        worker = self.worker(url, "facts")
        self.owned(url, 1)
        rounds = [self.through_the_door(worker.data, 8) for _ in range(3)]
        worker.stop()
        self.server.database("others")
        self.server.sql("others", OTHERS_SCHEMA)
        batches = {name: self.server.bench("others", script, 8) for name, script in OTHERS.items()}
        single = {name: self.server.bench("others", of_one(script), 8, 1) for name, script in OTHERS.items()}
        median = statistics.median(rounds)
        return {"facts_per_second": rounds, f"others_by_{BATCH}_made_in_the_server": batches, "others_one_by_one": single,
                "beside_the_best_of_batches": round(median / max(batches.values()), 1),
                "beside_the_best_one_by_one": round(median / max(single.values()), 1)}

    def lag(self):
        """Deadline warnings that fall due one after the other, 1,000 a second for 20 seconds."""
        url = self.cluster("lag")
        worker = self.worker(url, "lag", "--policy", "microcommit")
        self.owned(url, 1)
        now = datetime.datetime.now(datetime.timezone.utc)
        # Where it is noon: the signs of these zones are the other way round.
        zone = f"Etc/GMT{now.hour - 12:+d}" if now.hour != 12 else "Etc/UTC"
        begin = now + datetime.timedelta(hours=24, seconds=20)
        lines = []
        for number in range(20_000):
            deadline = (begin + datetime.timedelta(milliseconds=number)).isoformat(timespec="milliseconds")
            lines.append('{"type":"user_enrolled","user":"u%d","data":{"timezone":"%s"}}' % (number, zone))
            lines.append('{"type":"goal_started","user":"u%d","data":{"goal":"g","title":"Walk","deadline":"%s"}}'
                         % (number, deadline.replace("+00:00", "Z")))
        for place in range(0, len(lines), 4096):
            status, text = worker.ask("POST", "/v1/facts", "\n".join(lines[place:place + 4096]) + "\n")
            assert status == 200, text[:500]
        before = dict(worker.lag())
        assert datetime.datetime.now(datetime.timezone.utc) < begin - datetime.timedelta(hours=24), "the facts took too long"
        while datetime.datetime.now(datetime.timezone.utc) < begin + datetime.timedelta(hours=-24, seconds=22):
            time.sleep(0.2)
        after = [(bound, count - before.get(bound, 0)) for bound, count in worker.lag()]
        total = after[-1][1]
        worker.stop()
        bound = next(bound for bound, count in after if count >= 0.99 * total)
        return {"jobs": round(total), "p99_at_most_ms": bound * 1000,
                "shares": {f"{b * 1000:g} ms": round(c / total, 4) for b, c in after if b != float("inf")}}

    def herd(self):
        """Everybody's check-in at the same moment: decided, in the database, told to the sink's queue."""
        url = self.cluster("herd")
        policy = json.loads(subprocess.run([self.program, "policy", "show", "standard", "--json"], check=True,
                                           stdout=subprocess.PIPE).stdout)
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=30 + self.people // 12_000)
        due = due.replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)
        policy["preferences"] |= {"check_in_time": due.strftime("%H:%M"), "frequency": "daily"}
        policy["preferences"]["quiet_hours"]["enabled"] = False
        with open(os.path.join(self.folder, "herd.json"), "w") as file:
            json.dump(policy, file)
        worker = self.worker(url, "herd", "--policy", os.path.join(self.folder, "herd.json"))
        self.owned(url, 1)
        lines = ['{"type":"user_enrolled","user":"u%d","data":{"timezone":"Etc/UTC"}}' % n for n in range(self.people)]
        start = time.monotonic()
        for place in range(0, len(lines), 16_384):
            status, text = worker.ask("POST", "/v1/facts", "\n".join(lines[place:place + 16_384]) + "\n")
            assert status == 200, text[:500]
        enrolled = time.monotonic() - start
        late = due.timestamp() - time.time()
        assert late > 0, "enrolling took too long"
        time.sleep(late)
        while worker.sent() < self.people:
            time.sleep(0.05)
        took = time.time() - due.timestamp()
        worker.stop()
        return {"people": self.people, "enrolled_seconds": round(enrolled, 2), "seconds": round(took, 2)}

    def kill(self):
        """One of three is killed: until the last of its partitions takes facts again, asked of another."""
        url, times = self.cluster("killed"), []
        asked, *others = (self.worker(url, name) for name in ("asked", "w1", "w2"))
        owners = self.owned(url, 3)
        users = self.users_of_partitions(asked)
        for number in range(3):
            gone = others.pop(0)
            mine = [users[place] for place, owner in owners.items() if place >= 0 and owner.endswith(f":{gone.port}")]
            gone.stop(signal.SIGKILL)
            start = time.monotonic()
            for user in mine:
                while not self.is_taken(asked.ask("POST", "/v1/facts", '{"type":"app_opened","user":"%s"}\n' % user)):
                    time.sleep(0.02)
            times.append(round(time.monotonic() - start, 2))
            others.append(self.worker(url, f"w{number + 3}"))
            owners = self.owned(url, 3)
        for worker in [asked, *others]:
            worker.stop()
        return {"seconds_until_all_is_taken_again": times}

    @staticmethod
    def is_taken(answer):
        return answer[0] == 200 and json.loads(answer[1])["accepted"] == 1

    def users_of_partitions(self, worker):
        """Somebody of each partition."""
        users = {}
        lines = ['{"type":"user_enrolled","user":"k%d","data":{"timezone":"Etc/UTC"}}' % n for n in range(200)]
        status, text = worker.ask("POST", "/v1/facts", "\n".join(lines) + "\n")
        assert status == 200, text[:500]
        for number in range(200):
            state = json.loads(worker.ask("GET", f"/v1/people/k{number}/state")[1])
            users.setdefault(state["partition"], f"k{number}")
        assert len(users) == PARTITIONS
        return users

    def stop(self):
        """One of two is stopped and started while facts come for every partition: the longest that one waited."""
        url = self.cluster("stopped")
        stays, goes = self.worker(url, "stays"), self.worker(url, "goes")
        self.owned(url, 2)
        users, waits, ends = self.users_of_partitions(stays), [], threading.Event()

        def tell(user):
            connection = http.client.HTTPConnection("127.0.0.1", stays.port, timeout=60)
            headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/x-ndjson"}
            while not ends.is_set():
                start = time.monotonic()
                while True:
                    connection.request("POST", "/v1/facts", '{"type":"app_opened","user":"%s"}\n' % user, headers)
                    answer = connection.getresponse()
                    if self.is_taken((answer.status, answer.read())):
                        break
                waits.append(time.monotonic() - start)
                time.sleep(0.01)

        threads = [threading.Thread(target=tell, args=(user,)) for user in users.values()]
        for thread in threads:
            thread.start()
        time.sleep(2)
        goes.stop()
        time.sleep(4)
        back = self.worker(url, "goes")
        time.sleep(6)
        ends.set()
        for thread in threads:
            thread.join()
        stays.stop()
        back.stop()
        return {"facts": len(waits), "longest_wait_seconds": round(max(waits), 3),
                "median_wait_ms": round(statistics.median(waits) * 1000, 1)}

    def growth(self):
        """Facts through the door of one process over local disks, by how many partitions it keeps."""
        rates = {}
        for count in (1, 2, 4, 8):
            worker = Worker(self.program, self.folder, f"local{count}", "--partitions", str(count))
            rates[count] = statistics.median(self.through_the_door(worker.data, 5) for _ in range(3))
            worker.stop()
            shutil.rmtree(worker.data)
        return {"facts_per_second": rates}


ROWS = ["facts", "lag", "herd", "kill", "stop", "growth"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", action="append", choices=ROWS)
    parser.add_argument("--people", type=int, default=1_000_000)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(words.program), folder, words.people)
        try:
            for row in words.only or ROWS:
                print(json.dumps({row: getattr(bench, row)()}), flush=True)
        finally:
            bench.server.stop()


if __name__ == "__main__":
    main()

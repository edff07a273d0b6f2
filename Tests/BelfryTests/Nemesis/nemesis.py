#!/usr/bin/env python3
"""Three workers over a primary and its synchronous standby, while somebody wishes them ill.

    nemesis.py BELFRY SECONDS [SEED]

Workers are killed, frozen past their lease and thawed, and cut off from the others alone; the primary is frozen, and killed: then the
standby is promoted, and the old primary comes back as the new one's standby. Facts come in through all workers all the time. Afterwards
every fact that was acknowledged has to be in the log once, under the number that was told; what is handed out twice has to be the same; and
each partition has to verify, replay and audit clean. Says what was done, and ends with "sound" or with what is not.
"""

import collections
import contextlib
import glob
import http.client
import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOKEN = "a-token-that-is-long-enough-for-anybody-0123456789"
PARTITIONS, PEOPLE, LEASE = 8, 64, 3


def free_port():
    """Below those that connections are given, one of which would keep a worker from coming back to its own."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


class Database:
    """A primary and a standby that it waits for, each reached over a socket in a folder of its own."""

    def __init__(self, folder):
        self.bin = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.root = os.path.join(folder, "pg")
        os.mkdir(self.root)
        self.user = None
        if os.geteuid() == 0:
            # The server refuses to run as root.
            self.user = pwd.getpwnam("postgres" if any(one.pw_name == "postgres" for one in pwd.getpwall()) else "nobody")
            os.chmod(folder, 0o755)
            os.chown(self.root, self.user.pw_uid, self.user.pw_gid)
        self.processes, self.primary, self.standby = {}, "a", "b"
        self.run("initdb", "-D", f"{self.root}/a", "-U", "belfry", "-A", "trust", "--no-sync")
        for name in "ab":
            os.mkdir(f"{self.root}/socket-{name}")
            if self.user:
                os.chown(f"{self.root}/socket-{name}", self.user.pw_uid, self.user.pw_gid)
        self.start("a")
        self.sql("postgres", "CREATE DATABASE nemesis")
        self.attach("b")

    @property
    def url(self):
        hosts = ",".join(f"{self.root}/socket-{name}" for name in "ab")
        return f"postgres://belfry@/nemesis?host={hosts}&target_session_attrs=read-write&connect_timeout=2"

    def identity(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def run(self, program, *words, check=True):
        return subprocess.run([f"{self.bin}/{program}", *words], check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd=self.root, **self.identity())

    def sql(self, database, text, check=True):
        return self.run("psql", "-qAt", "-U", "belfry", "-h", f"{self.root}/socket-{self.primary}", "-d", database, "-c", text,
                        check=check).stdout.strip()

    def start(self, name):
        self.processes[name] = subprocess.Popen(
            [f"{self.bin}/postgres", "-D", f"{self.root}/{name}", "-k", f"{self.root}/socket-{name}", "-c", "listen_addresses=",
             "-c", "max_connections=100", "-c", "shared_buffers=32MB", "-c", "wal_keep_size=512MB", "-c", f"cluster_name={name}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.identity())
        for _ in range(600):
            if self.run("pg_isready", "-q", "-h", f"{self.root}/socket-{name}", check=False).returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit(f"server {name} does not start")

    def attach(self, name):
        """Makes a standby out of the primary as it is, and has the primary wait for it."""
        shutil.rmtree(f"{self.root}/{name}", ignore_errors=True)
        self.run("pg_basebackup", "-D", f"{self.root}/{name}", "-U", "belfry", "-R", "--no-sync", "-c", "fast", "-d",
                 f"host={self.root}/socket-{self.primary} user=belfry application_name={name}")
        with open(f"{self.root}/{name}/postgresql.auto.conf", "a") as file:
            file.write(f"\nprimary_conninfo = 'host={self.root}/socket-{self.primary} user=belfry application_name={name}'\n")
        self.start(name)
        self.standby = name
        self.sql("postgres", f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.sql("postgres", "SELECT pg_reload_conf()")
        for _ in range(600):
            if self.sql("postgres", "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", check=False) == "1":
                return
            time.sleep(0.05)
        raise SystemExit("the standby does not come to wait for")

    def freeze(self, seconds):
        self.signal_all(signal.SIGSTOP)
        time.sleep(seconds)
        self.signal_all(signal.SIGCONT)

    def signal_all(self, number):
        """The primary's server and its backends."""
        first = self.processes[self.primary].pid
        for one in [first, *children(first)]:
            try:
                os.kill(one, number)
            except ProcessLookupError:
                pass

    def fail_over(self):
        """The primary dies, the standby takes its place, and the old one comes back as its standby."""
        old = self.primary
        self.signal_all(signal.SIGKILL)
        self.processes[old].wait()
        self.primary = self.standby
        self.run("pg_ctl", "-D", f"{self.root}/{self.primary}", "-w", "promote")
        self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''", check=False)
        self.attach(old)

    def stop(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGQUIT)
                process.wait()


def children(pid):
    try:
        return [int(one) for one in open(f"/proc/{pid}/task/{pid}/children").read().split()]
    except OSError:
        return []


class Proxy:
    """Where the other workers reach one: it can be cut."""

    def __init__(self):
        self.port, self.target, self.isCut = free_port(), None, False
        self.server = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self.open = set()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            one, _ = self.server.accept()
            if self.isCut or self.target is None:
                one.close()
                continue
            try:
                other = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                one.close()
                continue
            self.open |= {one, other}
            for pair in ((one, other), (other, one)):
                threading.Thread(target=self.carry, args=pair, daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                if self.isCut:
                    break
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            self.open.discard(one)
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def cut(self, isCut):
        self.isCut = isCut
        for one in list(self.open) if isCut else []:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Worker:
    def __init__(self, nemesis, name):
        self.nemesis, self.name, self.port, self.proxy = nemesis, name, free_port(), Proxy()
        self.proxy.target = self.port
        self.start()

    def start(self):
        folder = self.nemesis.folder
        self.end_torn_line(f"{folder}/{self.name}.jobs")
        self.log = open(f"{folder}/{self.name}.log", "ab")
        self.process = subprocess.Popen(
            [self.nemesis.program, "run", "--postgres", self.nemesis.database.url, "--data", f"{folder}/{self.name}", "--listen",
             f"127.0.0.1:{self.port}", "--advertise", f"http://127.0.0.1:{self.proxy.port}", "--token-file", f"{folder}/token",
             "--master-key-file", f"{folder}/key", "--lease", str(LEASE), "--jobs", "stdout"],
            stdout=open(f"{folder}/{self.name}.jobs", "ab"), stderr=self.log, cwd=folder)

    @staticmethod
    def end_torn_line(path):
        """Whoever was killed in the middle of a line has left its beginning there: the next begins a line of its own."""
        if os.path.exists(path) and os.path.getsize(path) > 0:
            with open(path, "rb+") as jobs:
                jobs.seek(-1, os.SEEK_END)
                if jobs.read(1) != b"\n":
                    jobs.write(b"\n")

    def ask(self, method, path, body=None, timeout=15):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/x-ndjson"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        return self.process.wait()


class Nemesis:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.random = program, folder, random.Random(seed)
        for name, text in (("token", TOKEN), ("key", "".join(f"{(n * 7 + 13) % 256:02x}" for n in range(64)))):
            with open(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
                file.write(text + "\n")
        self.database = Database(folder)
        self.belfry("cluster", "create", "--postgres", self.database.url, "--partitions", str(PARTITIONS))
        self.workers = [Worker(self, name) for name in ("w1", "w2", "w3")]
        self.acknowledged, self.problems, self.isOver = {}, [], threading.Event()
        self.done = collections.Counter()

    def belfry(self, *words, check=True):
        done = subprocess.run([self.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        if check and done.returncode:
            raise SystemExit(f"{words}: {done.returncode} {done.stderr}")
        return done

    # Facts

    def tell(self, place):
        """One client: each of its facts again and again, through whichever worker, until it is acknowledged."""
        rng, number = random.Random(place), 0
        while not self.isOver.is_set():
            lines = {}
            for _ in range(rng.choice([1, 1, 8])):
                number += 1
                name = f"c{place}-{number}"
                user = f"u{rng.randrange(PEOPLE)}"
                kind = ('"notice_requested","data":{"kind":"urgent","title":"%s"}' % name if rng.random() < 0.1 else '"app_opened"')
                lines[name] = '{"id":"%s","user":"%s","type":%s}' % (name, user, kind)
            while lines:
                status, text = rng.choice(self.workers).ask("POST", "/v1/facts", "\n".join(lines.values()) + "\n")
                results = (json.loads(text).get("results") or []) if status in (200, 400, 503) else []
                for name, result in zip(list(lines), results if len(results) == len(lines) else []):
                    seq = result.get("seq", result.get("duplicate_of"))
                    if seq is not None:
                        self.acknowledged[name] = (result["partition"], seq)
                        del lines[name]
                    elif "refused" in result:
                        self.problems.append(f"{name} was refused: {result}")
                        del lines[name]
                if lines:
                    time.sleep(0.05)

    # What is done to them

    def act(self):
        action = self.random.choice(["kill", "freeze", "cut", "freeze_primary", "fail_over", "stop"])
        worker = self.random.choice(self.workers)
        if action == "kill":
            worker.kill()
            time.sleep(self.random.random() * 4)
            worker.start()
        elif action == "stop":
            worker.signal(signal.SIGTERM)
            if worker.process.wait() != 0:
                self.problems.append(f"{worker.name} ended with {worker.process.returncode} when it was told to stop")
            worker.start()
        elif action == "freeze":
            worker.signal(signal.SIGSTOP)
            time.sleep(LEASE * 2)
            worker.signal(signal.SIGCONT)
        elif action == "cut":
            worker.proxy.cut(True)
            time.sleep(LEASE * 2)
            worker.proxy.cut(False)
        elif action == "freeze_primary":
            self.database.freeze(1 + self.random.random() * LEASE)
        else:
            self.database.fail_over()
        self.done[action] += 1
        for one in self.workers:
            if one.process.poll() is not None:
                self.done["ended by itself"] += 1
                with open(f"{self.folder}/{one.name}.log", "rb") as log:
                    said = f"{one.name} ended with {one.process.returncode}: {log.readlines()[-1].decode()[:400]}"
                print(said, flush=True)
                # Whoever starts while no database answers ends with 5; nothing else that is done here may end one.
                if one.process.returncode != 5 or "the database" not in said:
                    self.problems.append(said)
                one.start()

    def run(self, seconds):
        self.owned()
        threads = [threading.Thread(target=self.tell, args=(place,)) for place in range(6)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.act()
            time.sleep(self.random.random() * 3)
        self.owned()
        self.isOver.set()
        for thread in threads:
            thread.join()
        self.handed_out()
        for worker in self.workers:
            worker.signal(signal.SIGTERM)
            worker.process.wait()
        print(f"{dict(self.done)}, {len(self.acknowledged)} facts", flush=True)

    def owned(self):
        for _ in range(600):
            done = self.belfry("cluster", "status", "--postgres", self.database.url, "--json", check=False)
            if done.returncode == 0:
                return
            time.sleep(0.2)
        raise SystemExit(f"not all is owned two minutes after everything was put right: {done.stdout}{done.stderr}")

    def handed_out(self):
        """Until nothing waits: what the last facts led to would be handed out by the next start, which does not come."""
        for _ in range(300):
            answers = [worker.ask("GET", "/v1/now") for worker in self.workers]
            if all(status == 200 and json.loads(text)["waiting"]["jobs"] == 0 for status, text in answers):
                return
            time.sleep(0.2)
        self.problems.append(f"jobs still wait a minute after the last fact: {answers}")

    # What has to be so

    def judge(self):
        self.belfry("cluster", "export", "--postgres", self.database.url, "--data", "out", "--master-key-file", "key")
        keys = ["--data", "out", "--master-key-file", "key"]
        for words in (["verify"], ["replay", "--verify"], ["audit"]):
            done = self.belfry(*words, *keys, check=False)
            if done.returncode or (words[0] == "replay" and ", 0 differ" not in done.stdout):
                self.problems.append(f"{words}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]}")
        seen, emitted, delivered = collections.defaultdict(list), {}, set()
        for partition in range(PARTITIONS):
            log = self.belfry("log", "--partition", str(partition), *keys).stdout
            for event in map(json.loads, log.splitlines()):
                if str(event.get("id", "")).startswith("c"):
                    seen[event["id"]].append((partition, event["seq"]))
                if event["type"] == "job_delivered":
                    delivered.add(event["data"]["job"])
                if event["type"] == "job_emitted":
                    emitted[event["data"]["job"]] = event["data"]
        for name, place in self.acknowledged.items():
            if seen[name] != [place]:
                self.problems.append(f"{name} was acknowledged as {place} and is at {seen[name]}")
        handed = collections.defaultdict(list)
        for worker in self.workers:
            with open(f"{self.folder}/{worker.name}.jobs") as jobs:
                for line in jobs:
                    try:
                        event = json.loads(line)
                    except ValueError:
                        continue  # A worker that was killed in the middle of it.
                    handed[event["data"]["job"]].append(event["data"])
        twice = 0
        for job, all_of_it in handed.items():
            twice += len(all_of_it) > 1
            if any(one != emitted.get(job) for one in all_of_it):
                self.problems.append(f"{job} was handed out as {all_of_it}, and is {emitted.get(job)} in the log")
        missing = [job for job in emitted if job not in handed]
        if missing:
            said = sum(job in delivered for job in missing)
            self.problems.append(
                f"{len(missing)} jobs were never handed out, such as {missing[0]}; of {said} the log says that they were")
        print(f"{len(emitted)} jobs, {twice} handed out more than once", flush=True)


def main():
    program, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        nemesis = Nemesis(program, folder, seed)
        try:
            nemesis.run(seconds)
            nemesis.judge()
        finally:
            for worker in nemesis.workers:
                worker.kill()
            nemesis.database.stop()
            if nemesis.problems and "NEMESIS_KEEP" in os.environ:
                shutil.copytree(folder, os.environ["NEMESIS_KEEP"], dirs_exist_ok=True, ignore=shutil.ignore_patterns("pg", "belfry.sock"))
    for problem in nemesis.problems[:20]:
        print(problem)
    print("sound" if not nemesis.problems else f"{len(nemesis.problems)} problems")
    sys.exit(bool(nemesis.problems))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Stands between clients and a PostgreSQL server, on Unix sockets, and does something to the k-th message.

Usage: proxy.py FOLDER SERVER_FOLDER

Listens in FOLDER. Each line of its input is "FAULT K": all connections are ended, messages are counted from 1 again, those of
clients and of the server together, and the K-th is
  cut     not passed on, and both ends of its connection are closed
  freeze  not passed on, nor is anything after it, and both ends stay open
  delay   passed on when the next message has come on another connection, or after 20 ms
It answers with how many messages there were before. "none 0" only counts. It ends with its input.
"""

import os
import socket
import struct
import sys
import threading

PATH = ".s.PGSQL.5432"


class Pair:
    def __init__(self, client, server):
        self.ends = (client, server)
        self.frozen = False

    def close(self):
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy:
    def __init__(self, folder, server_folder):
        self.server = os.path.join(server_folder, PATH)
        self.lock = threading.Condition()
        self.pairs, self.count, self.fault, self.at = [], 0, "none", 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(folder, PATH))
        self.listener.listen(64)

    def plan(self, fault, at):
        with self.lock:
            before, self.count, self.fault, self.at = self.count, 0, fault, at
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            pair.close()
        return before

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            pair = Pair(client, server)
            with self.lock:
                self.pairs.append(pair)
            for source, sink, is_client in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pump, args=(pair, source, sink, is_client), daemon=True).start()

    def pump(self, pair, source, sink, is_client):
        stream = source.makefile("rb")
        has_type = not is_client
        try:
            while message := self.message(stream, has_type):
                has_type = True
                if not self.let_pass(pair):
                    return
                sink.sendall(message)
        except OSError:
            pass
        if not pair.frozen:
            pair.close()

    @staticmethod
    def message(stream, has_type):
        head = stream.read(5 if has_type else 4)
        if len(head) < (5 if has_type else 4):
            return None
        length = struct.unpack(">i", head[-4:])[0] - 4
        body = stream.read(length)
        return head + body if len(body) == length else None

    def let_pass(self, pair):
        with self.lock:
            if pair.frozen:
                return False
            self.count += 1
            self.lock.notify_all()
            if self.count != self.at:
                return True
            if self.fault == "freeze":
                pair.frozen = True
            elif self.fault == "delay":
                self.lock.wait(0.02)
        if self.fault == "cut":
            pair.close()
        return self.fault not in ("cut", "freeze")


def main():
    proxy = Proxy(sys.argv[1], sys.argv[2])
    threading.Thread(target=proxy.accept, daemon=True).start()
    print("ready", flush=True)
    for line in sys.stdin:
        fault, at = line.split()
        print(proxy.plan(fault, int(at)), flush=True)


main()

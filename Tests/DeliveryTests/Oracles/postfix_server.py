"""A submission relay: Debian's Postfix with STARTTLS and AUTH, in a folder of its own, on one port of this machine. Takes root.

Prints its port. Reads from its standard input:
  hear TEXT   prints `heard` once Postfix's log holds the text
  end [N]     waits until N mails have left the queue, prints what has come (one JSON list) and ends
Ends with its input and with whoever started it too, and Postfix with it, even where this script is killed.

Takes the file that its authority's certificate is written to, then Postfix's settings (`smtpd_timeout=1s`). Knows the user `bell` with
the password `ding dong`. At example.org and belfry.dev `anna`, `spared` and `bounce` (also `bounce+TOKEN`) have mailboxes. `spared` is
deferred once (450), `grey` always; `policy` is refused (554) and anybody else there unknown (550). Mails for example.net go on to
aiosmtpd, which refuses `gone`, so that Postfix writes a bounce. Mails over 100,000 bytes are refused (552).

Postfix is as strict as it can be: no bare line feeds, no bytes over 127, no commands ahead of their turn, no greeting that is no name.
"""

import asyncio
import contextlib
import json
import logging
import os
import pathlib
import pwd
import select
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import warnings
from base64 import b64decode

import trustme
from aiosmtpd.smtp import SMTP

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
PROGRAMS = "/usr/lib/postfix/sbin"
PATIENCE_SECONDS = 120

SETTINGS = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = /dev/stdout
myhostname = relay.example.org
mydestination =
mynetworks =
alias_maps =
inet_protocols = ipv4
virtual_mailbox_domains = example.org, belfry.dev
virtual_mailbox_base = {folder}/mail
virtual_mailbox_maps = texthash:{folder}/mailboxes
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
virtual_minimum_uid = 1
recipient_delimiter = +
relay_domains = example.net
relay_transport = smtp:[127.0.0.1]:{next_hop}
default_transport = error:nothing leaves this machine
smtp_host_lookup = native
smtp_dns_support_level = disabled
smtpd_tls_security_level = encrypt
smtpd_tls_chain_files = {folder}/key.pem
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_helo_required = yes
smtpd_helo_restrictions = reject_invalid_helo_hostname, reject_non_fqdn_helo_hostname
smtpd_sender_restrictions = reject_non_fqdn_sender
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = check_recipient_access texthash:{folder}/refused, check_policy_service unix:private/policy
smtpd_data_restrictions = reject_unauth_pipelining
smtpd_forbid_bare_newline = reject
smtpd_forbid_bare_newline_exclusions =
smtpd_error_sleep_time = 0
strict_rfc821_envelopes = yes
strict_7bit_headers = yes
strict_8bitmime_body = yes
strict_mime_encoding_domain = yes
message_size_limit = 100000
"""

# Port 0 is one of the system's choice.
SERVICES = """
127.0.0.1:0 inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
error unix - - n - - error
retry unix - - n - - error
smtp unix - - n - - smtp
virtual unix - n n - - virtual
postlog unix-dgram n - n - 1 postlogd
"""

MAILBOXES = "".join(f"{name}@{domain} {name}/\n" for name in ("anna", "bounce", "spared") for domain in ("example.org", "belfry.dev"))

REFUSED = """
grey@example.org 450 4.2.0 Greylisted
policy@example.org 554 5.7.1 We do not want this
"""


class Sockets(socketserver.ThreadingUnixStreamServer):
    """A service that Postfix asks through a socket below its queue."""

    daemon_threads = True

    def __init__(self, path, handler):
        super().__init__(str(path), handler)
        os.chmod(path, 0o666)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class SignIn(socketserver.StreamRequestHandler):
    """Who may sign in, as Dovecot's protocol (1.1) has it: the only one that Postfix speaks without a library of its own."""

    def handle(self):
        self.wfile.write(b"VERSION\t1\t1\nMECH\tPLAIN\tplaintext\nSPID\t1\nCUID\t1\nCOOKIE\t00\nDONE\n")
        for line in self.rfile:
            word, number, *rest = line.decode().rstrip("\n").split("\t")
            if word == "AUTH":
                rest = [part[5:] for part in rest if part.startswith("resp=")]
            elif word != "CONT":
                continue
            if not rest:
                answer = f"CONT\t{number}\t"
            elif b64decode(rest[0]) == b"\0bell\0ding dong":
                answer = f"OK\t{number}\tuser=bell"
            else:
                answer = f"FAIL\t{number}\tuser=bell"
            self.wfile.write(answer.encode() + b"\n")


class Greylist(socketserver.StreamRequestHandler):
    """Defers what is for `spared`, once."""

    deferred = set()

    def handle(self):
        asked = {}
        for line in self.rfile:
            name, _, value = line.decode().rstrip("\n").partition("=")
            if name:
                asked[name] = value
                continue
            recipient, asked = asked["recipient"], {}
            is_first = recipient.startswith("spared") and recipient not in self.deferred
            self.deferred.add(recipient)
            self.wfile.write(b"action=450 4.2.0 Greylisted\n\n" if is_first else b"action=DUNNO\n\n")


class NextHop:
    """Where mails for example.net go."""

    seen = []

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("gone@"):
            return "550 5.1.1 No such user"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server, session, envelope):
        self.seen.append(told("relayed", envelope.mail_from, envelope.rcpt_tos[0], envelope.original_content))
        return "250 2.0.0 Ok"


class Log:
    """What Postfix tells, line by line as it comes."""

    def __init__(self, pipe):
        self.pipe, self.lines, self.is_over = pipe, [], False
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.pipe:
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def wait(self, text, count=1):
        """Waits for so many lines that hold this."""
        with self.changed:
            def found():
                return sum(text in line for line in self.lines)
            self.changed.wait_for(lambda: found() >= count or self.is_over, PATIENCE_SECONDS)
            if found() < count:
                sys.exit(f"Postfix did not say {count} times '{text.strip()}', but:\n" + "".join(self.lines))


def told(way, sender, recipient, raw):
    """A mail that came, and apart from it the fields that Postfix put before it."""
    trace, lines = b"", raw.splitlines(keepends=True)
    while lines and lines[0].split(b":")[0] in (b"Return-Path", b"X-Original-To", b"Delivered-To", b"Received"):
        trace += lines.pop(0)
        while lines and lines[0][:1] in b"\t ":
            trace += lines.pop(0)
    return {"way": way, "sender": sender, "recipient": recipient, "trace": trace.decode(), "mail": b"".join(lines).hex()}


def delivered(folder):
    """What lies in the mailboxes. There lines end as this system's do."""
    mails = []
    for file in sorted(folder.glob("mail/*/new/*"), key=lambda file: file.stat().st_mtime_ns):
        raw = file.read_bytes().replace(b"\n", b"\r\n")
        fields = dict(line.split(b": ", 1) for line in raw.split(b"\r\n")[:3])
        mails.append(told("mailbox", fields[b"Return-Path"].decode()[1:-1], fields[b"Delivered-To"].decode(), raw))
    return mails


def prepare(folder, next_hop):
    nobody = pwd.getpwnam("nobody")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(sys.argv[1])
    authority.issue_cert("127.0.0.1", "localhost").private_key_and_cert_chain_pem.write_to_path(folder / "key.pem")
    for name in ("queue", "data", "mail"):
        (folder / name).mkdir()
    os.chown(folder / "mail", nobody.pw_uid, nobody.pw_gid)
    shutil.chown(folder / "data", "postfix")
    texts = {"main.cf": SETTINGS.format(folder=folder, uid=nobody.pw_uid, gid=nobody.pw_gid, next_hop=next_hop),
             "master.cf": SERVICES, "mailboxes": MAILBOXES, "refused": REFUSED}
    for name, text in texts.items():
        (folder / name).write_text(text)
    for setting in sys.argv[2:]:
        subprocess.run(["postconf", "-c", folder, "-e", setting], check=True)
    subprocess.run(["postfix", "-c", folder, "check"], check=True, stdout=subprocess.DEVNULL)
    Sockets(folder / "queue/private/auth", SignIn)
    Sockets(folder / "queue/private/policy", Greylist)


# Ends Postfix and removes its folder when this process has ended, however it ended: then nobody holds the other end of its input.
GUARD = """
"$0" -c "$1" -s </dev/null &
exec >&-
cat >/dev/null
kill $!
wait
rm -rf "$1"
"""


def start(folder):
    return subprocess.Popen(
        ["/bin/sh", "-c", GUARD, f"{PROGRAMS}/master", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env={**os.environ, "POSTLOG_SERVICE": "postlog", "POSTLOG_HOSTNAME": "relay"})


def port(folder):
    """The one that it listens on."""
    proc = pathlib.Path("/proc") / (folder / "queue/pid/master.pid").read_text().strip()
    sockets = set()
    for file in proc.glob("fd/*"):
        with contextlib.suppress(FileNotFoundError):  # it closes some meanwhile
            sockets.add(os.readlink(file))
    for line in (proc / "net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
            return int(words[1].split(":")[1], 16)
    sys.exit("Postfix listens nowhere")


def serve(folder, next_hop):
    prepare(folder, next_hop)
    guard = start(folder)
    try:
        log = Log(guard.stdout)
        log.wait("daemon started")
        print(port(folder), flush=True)
        word, *more = sys.stdin.readline().split(maxsplit=1)
        while word == "hear":
            log.wait(more[0].strip())
            print("heard", flush=True)
            word, *more = sys.stdin.readline().split(maxsplit=1)
        if more:
            log.wait(": removed\n", int(more[0]))
        print(json.dumps(delivered(folder) + NextHop.seen), flush=True)
    except (ValueError, BrokenPipeError):  # who asks is gone
        pass
    finally:
        guard.stdin.close()
        guard.wait()


async def main(folder):
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(NextHop()), "127.0.0.1", 0)
    await asyncio.to_thread(serve, folder, server.sockets[0].getsockname()[1])


def end_with(parent):
    """The end of the input does not tell: whatever the tests started at the same moment may hold its other end."""
    select.select([parent], [], [])
    os._exit(1)


# Whoever started this may have blocked signals, which Postfix needs.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
threading.Thread(target=end_with, args=[os.pidfd_open(os.getppid())], daemon=True).start()
os.umask(0o022)
os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
with tempfile.TemporaryDirectory(prefix="postfix-") as name:
    # Its processes are several users'.
    os.chmod(name, 0o755)
    asyncio.run(main(pathlib.Path(name)))

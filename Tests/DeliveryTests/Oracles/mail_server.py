"""A relay of mail (aiosmtpd) with STARTTLS and AUTH, that behaves as a recipient's local part says.

Prints its port, ends with a line from its standard input or its end, and then prints what has come: one JSON list. Takes the file that its
authority's certificate is written to. Knows the user `bell` with the password `ding dong`.

Recipients: `gone` (550 5.1.1), `full` (552 5.2.2), `grey` (451 4.7.1), `odd` (550), `policy` (550 5.7.1), `late`
(refused after the data, 554 5.6.0), `drop` (the connection ends); `slow` is taken once any other mail was, and so long the relay
keeps silent; `rude` is refused, and the farewell is answered once a mail was taken; any other is taken. Told to, it refuses us before that:
`banner`, `ehlo`, `starttls`, `mail`; `unsigned` offers no AUTH; `plain` no STARTTLS.
"""

import asyncio
import contextlib
import json
import logging
import os
import ssl
import sys
import warnings

import trustme
from aiosmtpd.smtp import SMTP, AuthResult

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
seen, connections, asked = [], {}, []
refusals = {"gone": "550 5.1.1 No such user", "full": "552 5.2.2 Mailbox full", "grey": "451 4.7.1 Greylisted",
            "odd": "550 Mailbox unavailable", "policy": "550 5.7.1 Rejected by policy", "rude": "550 5.1.1 No such user"}
another = asyncio.Event()


class Relay:
    async def handle_RCPT(self, server, session, envelope, address, options):
        asked.append(address)
        name = address.split("@")[0]
        if name == "drop":
            server.transport.abort()
            return "421 4.3.2 Bye"
        if name in refusals:
            server.is_rude = name == "rude"
            return refusals[name]
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server, session, envelope):
        if envelope.rcpt_tos[0].startswith("late@"):
            return "554 5.6.0 Malformed"
        if envelope.rcpt_tos[0].startswith("slow@"):
            await another.wait()
        another.set()
        number = connections.setdefault(session.peer, len(connections) + 1)
        seen.append({"connection": number, "sender": envelope.mail_from, "recipients": envelope.rcpt_tos,
                     "mail": envelope.original_content.hex(), "greeting": session.host_name,
                     "recipients_named": len(asked), "is_encrypted": session.ssl is not None, "is_known": bool(session.authenticated)})
        return f"250 2.0.0 Ok: queued as Q{len(seen)}"


def know(server, session, envelope, mechanism, words):
    return AuthResult(success=words.login == b"bell" and words.password == b"ding dong", handled=False)


authority = trustme.CA()
authority.cert_pem.write_to_path(sys.argv[1])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
modes = sys.argv[2:]
is_plain = "plain" in modes


class Refusing(SMTP):
    """Refuses us before a recipient was named, at the stage that it was started for."""

    async def push(self, status):
        if "banner" in modes and status.startswith("220 "):
            status = "554 5.1.0 No"
        elif "unsigned" in modes and isinstance(status, str) and status.startswith("250-AUTH"):
            return
        await super().push(status)

    async def smtp_EHLO(self, name):
        await (self.push("502 5.5.1 No") if "ehlo" in modes else super().smtp_EHLO(name))

    async def smtp_HELO(self, name):
        await (self.push("502 5.5.1 No") if "ehlo" in modes else super().smtp_HELO(name))

    async def smtp_STARTTLS(self, argument):
        await (self.push("454 4.7.0 No") if "starttls" in modes else super().smtp_STARTTLS(argument))

    async def smtp_QUIT(self, argument):
        if getattr(self, "is_rude", False):
            await another.wait()
        await super().smtp_QUIT(argument)

    async def smtp_MAIL(self, argument):
        await (self.push("550 5.2.1 Disabled") if "mail" in modes else super().smtp_MAIL(argument))


def connection():
    return Refusing(
        Relay(), hostname="127.0.0.1", tls_context=None if is_plain else context, require_starttls=not is_plain,
        authenticator=know, auth_required=not is_plain and "unsigned" not in modes, auth_require_tls=True)


async def main():
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    with contextlib.suppress(BrokenPipeError):  # who asks may be gone
        print(json.dumps(seen), flush=True)
    os._exit(0)


asyncio.run(main())

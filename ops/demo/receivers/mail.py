"""A mail relay: takes mail from whoever signs in over an encrypted connection, and shows it."""

import asyncio
import email
import email.policy
import logging
import ssl
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

from . import papers, screen

warnings.simplefilter("ignore")
logging.getLogger("mail.log").setLevel(logging.CRITICAL)


class Relay:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("gone@"):
            screen.note(f"mail: {address} is not known here")
            return "550 5.1.1 No such user"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        plain = mail.get_body(("plain",))
        lines = [f"From: {mail['from']}", f"Subject: {mail['subject']}", "", plain.get_content() if plain else ""]
        stop = (mail["list-unsubscribe"] or "").strip("<>")
        screen.show(f"Mailbox of {', '.join(envelope.rcpt_tos)}", lines, f"to stop it: {stop}" if stop else "mail")
        return f"250 2.0.0 Ok: queued as D{abs(hash(bytes(envelope.original_content))) % 10**8:08}"


def know(server, session, envelope, mechanism, words):
    is_known = words.login == papers.USER.encode() and words.password == papers.PASSWORD.encode()
    return AuthResult(success=is_known, handled=False)


async def serve(certificate, port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def connection():
        return SMTP(Relay(), hostname="127.0.0.1", tls_context=context, require_starttls=True, authenticator=know,
                    auth_required=True, auth_require_tls=True)

    return await asyncio.get_running_loop().create_server(connection, "127.0.0.1", port)

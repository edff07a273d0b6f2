"""Reads mails with Python's own `email`, and tells what a reader would see.

Reads one JSON object a line ({"mail": Base64}) and prints what is in it.
"""

import base64
import json
import sys
from email import policy
from email.header import decode_header, make_header
from email.parser import BytesParser
from email.utils import parseaddr


def name_in(raw, field):
    """The display name as RFC 2047 reads it: the newer parser puts a blank between adjacent encoded words of a phrase."""
    value = BytesParser(policy=policy.compat32).parsebytes(raw)[field].replace("\r\n", "")
    return str(make_header(decode_header(parseaddr(value)[0])))


for line in sys.stdin.readlines():
    raw = base64.b64decode(json.loads(line)["mail"])
    mail = BytesParser(policy=policy.default).parsebytes(raw)
    text, html = list(mail.iter_parts())
    print(json.dumps({
        "subject": str(mail["Subject"]), "from": mail["From"].addresses[0].addr_spec,
        "from_name": mail["From"].addresses[0].display_name, "to": mail["To"].addresses[0].addr_spec,
        "to_name": name_in(raw, "To"), "date": mail["Date"].datetime.isoformat(),
        "id": mail["Message-ID"], "type": mail.get_content_type(), "part_types": [
            text.get_content_type(), html.get_content_type()],
        "text": text.get_content().replace("\r\n", "\n"), "html": html.get_content().replace("\r\n", "\n"), "stop": mail["List-Unsubscribe"],
        "stop_post": mail["List-Unsubscribe-Post"], "headers": len(mail.keys()),
        "defects": [str(defect) for part in mail.walk() for defect in part.defects],
        "line_bytes_max": max(len(line) for line in raw.split(b"\r\n")),
        "is_ascii": raw.isascii(), "bare_line_ends": raw.replace(b"\r\n", b"").count(b"\n") + raw.replace(
            b"\r\n", b"").count(b"\r"),
    }))

"""Signs as Standard Webhooks 1.0 says, with nothing but the standard library.

Reads one JSON object a line: {"key": Base64, "id": ..., "timestamp": ..., "body": Base64}; prints a signature a line.
"""

import base64
import hashlib
import hmac
import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    signed = f"{asked['id']}.{asked['timestamp']}.".encode() + base64.b64decode(asked["body"])
    code = hmac.new(base64.b64decode(asked["key"]), signed, hashlib.sha256).digest()
    print("v1," + base64.b64encode(code).decode())

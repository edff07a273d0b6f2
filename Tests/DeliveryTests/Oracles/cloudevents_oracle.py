"""Makes CloudEvents as their own Python library does, and prints the requests that carry them: one JSON object a line."""

import datetime
import json

from cloudevents.core.bindings.http import to_binary, to_structured
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

FORMAT = JSONFormat()
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def event(number, kind="points_earned", data=None, **more):
    return CloudEvent(
        attributes={
            "type": kind,
            "source": "https://shop.example/orders",
            "id": f"order {number} é",
            "subject": "anna",
            "time": datetime.datetime(2026, 3, 2, 14, 0, 0, 123456, tzinfo=datetime.timezone.utc),
            "datacontenttype": "application/json",
            **more,
        },
        data={"points": number} if data is None else data,
    )


def tell(headers, body):
    print(json.dumps({"headers": headers, "body": body.decode()}))


for message in (
    to_structured(event(1), FORMAT),
    to_binary(event(2, traceparent=TRACE), FORMAT),
    # The same event once more, in the other mode.
    to_structured(event(2), FORMAT),
    to_binary(event(3, source="https://other.example/orders"), FORMAT),
    to_structured(event(4, kind="points_erned"), FORMAT),
):
    tell(message.headers, message.body)

batch = [json.loads(FORMAT.write(event(number))) for number in (5, 1, 6)]
tell({"content-type": "application/cloudevents-batch+json"}, json.dumps(batch).encode())

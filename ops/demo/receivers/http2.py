"""A server of HTTP/2, as providers of push run one: many requests over one connection, each answered by itself."""

import asyncio
import json
import ssl

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset
from h2.exceptions import ProtocolError

BODY_MOST = 1 << 20


class Request:
    def __init__(self, headers):
        self.headers = dict(headers)
        self.method, self.path = self.headers[":method"], self.headers[":path"]
        self.body = bytearray()

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


class Answer:
    def __init__(self, status, value=None, **headers):
        self.status, self.headers = status, headers
        self.body = b"" if value is None else json.dumps(value).encode()


class Connection(asyncio.Protocol):
    """Hands whole requests to `answer`, which gives an `Answer`."""

    def __init__(self, answer):
        self.answer = answer
        self.http = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.open = {}

    def connection_made(self, transport):
        self.transport = transport
        self.http.initiate_connection()
        transport.write(self.http.data_to_send())

    def data_received(self, data):
        try:
            for event in self.http.receive_data(data):
                self.hear(event)
        except ProtocolError:
            self.transport.write(self.http.data_to_send())
            return self.transport.close()
        self.transport.write(self.http.data_to_send())

    def hear(self, event):
        if isinstance(event, RequestReceived):
            self.open[event.stream_id] = Request(event.headers)
        elif isinstance(event, DataReceived):
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in self.open:
                self.open[event.stream_id].body += event.data[:BODY_MOST]
        elif isinstance(event, StreamEnded) and event.stream_id in self.open:
            self.send(event.stream_id, self.answer(self.open.pop(event.stream_id)))
        elif isinstance(event, StreamReset):
            self.open.pop(event.stream_id, None)

    def send(self, stream, answer):
        headers = [(":status", str(answer.status)), ("content-length", str(len(answer.body)))]
        headers += [(name.replace("_", "-"), value) for name, value in answer.headers.items()]
        self.http.send_headers(stream, headers, end_stream=not answer.body)
        if answer.body:
            self.http.send_data(stream, answer.body, end_stream=True)


async def serve(answer, certificate, port):
    """Listens on this machine; gives the server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["h2"])
    context.load_cert_chain(certificate)
    return await asyncio.get_running_loop().create_server(lambda: Connection(answer), "127.0.0.1", port, ssl=context)

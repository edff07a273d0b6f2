"""Everybody who receives, on this machine: opened together, and told of in one place."""

import asyncio

from . import http2, mail, papers, providers, screen


async def open(folder):
    kept = papers.Papers(folder.resolve())
    kept.prepare()
    ports = kept.ports()
    certificate = kept.path("server.pem")
    push = await http2.serve(providers.Providers(kept).answer, certificate, ports["push"])
    relay = await mail.serve(certificate, ports["mail"])
    kept.publish(port(push), port(relay))
    screen.say(f"the phones are on; senders, keys and people are in {kept.folder}\n")
    screen.say(f"""  belfry=.build/release/belfry
  $belfry senders check {kept.path('senders.json')}
  $belfry run --data /tmp/bell-phones --senders {kept.path('senders.json')} --public-listen 127.0.0.1:8090
  $belfry append {kept.path('people.jsonl')} --data /tmp/bell-phones
""")
    await asyncio.Event().wait()


def port(server):
    return server.sockets[0].getsockname()[1]

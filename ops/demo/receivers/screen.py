"""What a phone shows, in a terminal."""

import sys
import time
import unicodedata

WIDTH = 58


def visible(text):
    """What would steer a terminal or hide is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def cells(text):
    """How many columns a text takes: wide letters and emoji take two, accents none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(text):
    line = ""
    for word in visible(text).split(" "):
        if line and cells(line) + 1 + cells(word) > WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def show(device, lines, foot):
    """One notification: who got it, what stands on it, and how it makes itself heard."""
    head = visible(f"{device} · {time.strftime('%H:%M:%S')}")
    print(f"┌─ {head} " + "─" * max(2, WIDTH - cells(head) - 1))
    for text in lines:
        for paragraph in str(text).splitlines():
            for line in wrapped(paragraph):
                print(f"│ {line}")
    print(f"└─ {visible(foot)}\n", flush=True)


def note(text):
    print(f"   {visible(text)}\n", flush=True)


def say(text):
    print(text, flush=True)


def complain(text):
    print(f"ops/demo/phones: {visible(text)}", file=sys.stderr, flush=True)

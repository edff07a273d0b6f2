"""A browser that keeps book: what was on its console, whom it asked, what axe finds, how wide a page is."""

import contextlib
import json
import os
import pathlib
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PATIENCE_MS = int(os.environ.get("BELFRY_PATIENCE_MS", 60_000))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
expect.set_options(timeout=PATIENCE_MS)


class Worker:
    """The worker's own door, asked as the app's server would."""

    def __init__(self, base, token):
        self.base, self.token = base, token

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE_MS / 1000) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.strip() else None

    def lines(self, path):
        request = urllib.request.Request(
            self.base + path, headers={"Authorization": f"Bearer {self.token}", "Accept": "application/x-ndjson"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE_MS / 1000) as answer:
            return [json.loads(line) for line in answer.read().decode().splitlines()]

    def wait_for(self, path, count):
        """Until so many lines are there; the worker hands out what it decided a moment later."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while len(self.lines(path)) < count:
            assert time.monotonic() < end, f"{path}: fewer than {count}"
            time.sleep(0.05)

    def tell(self, kind, user, /, **data):
        answer = self.ask("POST", "/v1/facts", {"type": kind, **({"user": user} if user else {}), "data": data})
        assert answer["refused"] == 0, answer
        return answer["results"][0]["seq"]

    def person_token(self, user):
        return self.ask("POST", f"/v1/people/{user}/tokens", {"expires_in_seconds": 3600})["token"]


class Visit:
    """One tab. What it must not do is found by `close`, unless a scenario provoked it and says so."""

    def __init__(self, browser, worker, *, width=1440, height=None, scheme="light", motion="reduce", csp=True,
                 zone="Europe/Berlin", touch=False):
        self.worker = worker
        self.width = width
        self.allowed = [worker.base + "/", "data:", "blob:"]
        self.troubles, self.foreign, self.bytes, self.expected = [], [], 0, []
        self.context = browser.new_context(
            viewport={"width": width, "height": height or (900 if width > 500 else 740)}, color_scheme=scheme, reduced_motion=motion,
            locale="en-GB", timezone_id=zone, bypass_csp=not csp, has_touch=touch, is_mobile=touch)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("request", self.look)

    def look(self, request):
        if not request.url.startswith(tuple(self.allowed)):
            self.foreign.append(request.url)

    def expect_trouble(self, *words):
        """What the browser itself notes of an answer that a scenario asks for, such as a 401."""
        self.expected += words

    def sign_in(self, token=None, keyboard=False):
        if not self.page.url.startswith(self.worker.base):
            self.page.goto(self.worker.base + "/")
        field = self.page.get_by_label("Token")
        expect(field).to_be_focused()
        self.page.keyboard.type(token or self.worker.token)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("header.rail")).to_be_visible()

    def go(self, path):
        self.page.goto(self.worker.base + path)
        self.settle()

    def settle(self):
        expect(self.page.locator("h1").first).to_be_visible()
        expect(self.page.locator(".busy")).to_have_count(0)

    def check(self, name):
        """Nothing of axe's rules is broken, and nothing sticks out to the right."""
        found = Axe().run(self.page, options={"runOnly": RULES}).response["violations"]
        assert not found, f"{name}: " + "; ".join(
            f"{one['id']} at {one['nodes'][0]['html'][:160]}: {one['nodes'][0]['failureSummary']}" for one in found)
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.width, f"{name}: {wide} px wide in a window of {self.width}"

    def fits(self, name):
        """The table of this name is read without going sideways."""
        region = self.page.get_by_role("region", name=name)
        wide, room = region.evaluate("node => [node.scrollWidth, node.clientWidth]")
        assert wide <= room, f"{name}: {wide} px wide where there are {room}"

    def close(self):
        self.context.close()
        left = [one for one in self.troubles if not any(word in one for word in self.expected)]
        assert not left, f"on the browser's console: {left[:5]}"
        assert not self.foreign, f"asked others: {self.foreign[:5]}"


class Screens:
    """Pictures of pages, where somebody wants them."""

    def __init__(self):
        folder = os.environ.get("BELFRY_SCREENS")
        self.folder = pathlib.Path(folder) if folder else None
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def take(self, visit, name, whole=True):
        if self.folder:
            visit.page.screenshot(path=str(self.folder / f"{name}.png"), full_page=whole)


@contextlib.contextmanager
def chromium(*more):
    """`more` are words of its command line, as a person's own settings would be."""
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--no-proxy-server", *more])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def visit(browser, worker, **options):
    one = Visit(browser, worker, **options)
    yield one
    one.close()

"""How every page looks: wide and narrow, light and dark, judged by axe and kept as pictures."""

import datetime
import json
import sys
import urllib.parse
import urllib.request

from visit import Screens, expect, visit

MOST_BYTES = 150 * 1024


def pages(worker, user):
    notice = history(worker, user)
    day = f"/people/{user}"
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=2)
    return {
        "now": "/now", "people": "/people", "person": day, "person-before": f"{day}?date={before.date()}",
        "notice": f"{day}?notice={urllib.parse.quote(notice, safe='')}",
        "why": f"{day}/why?kind=reminder", "why-all": f"{day}/why", "preferences": f"{day}/preferences", "history": f"{day}/history",
        "devices": f"{day}/devices", "agenda": "/agenda", "policy": "/policy", "numbers": "/numbers", "numbers-kind": "/numbers?by=kind",
        "log": "/log", "event": f"/log/{worker.ask('GET', '/v1/log/head')['seq']}",
    }


def history(worker, user):
    """The id of the last notice of theirs that was raised by the app."""
    return next((event["notice"] for event in reversed(lines(worker, user)) if event.get("title")), "")


def lines(worker, user):
    request = urllib.request.Request(f"{worker.base}/v1/people/{user}/history?days=3", headers={"Authorization": f"Bearer {worker.token}"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()]


def looks(browser, worker):
    """Every page, as wide and as light as was asked for: axe finds nothing, nothing sticks out, and the page keeps to the policy
    of its headers."""
    width, scheme = int(sys.argv[2]), sys.argv[3]
    screens = Screens()
    with visit(browser, worker, width=width, scheme=scheme) as one:
        one.page.goto(worker.base + "/")
        one.check("sign-in")
        screens.take(one, f"sign-in-{width}-{scheme}")
        one.sign_in()
        for name, path in pages(worker, "anna").items():
            one.go(path)
            one.check(f"{name} at {width} px, {scheme}")
            if name in ("person", "person-before", "notice"):
                one.fits("What happened on this day")
            screens.take(one, f"{name}-{width}-{scheme}")
        one.page.goto(f"{worker.base}/me#token={worker.person_token('anna')}")
        expect(one.page.get_by_role("heading", name="Recent notifications")).to_be_visible()
        for button in one.page.get_by_role("button", name="More about").all()[:2]:
            button.click()
        one.check(f"settings at {width} px, {scheme}")
        screens.take(one, f"settings-{width}-{scheme}")


def hostile(browser, worker):
    """Markup, marks of direction and 4,000 letters without a space are text, run nothing and break no layout."""
    for width in (360, 1440):
        with visit(browser, worker, width=width) as one:
            one.sign_in()
            one.page.on("dialog", lambda dialog: one.troubles.append(f"a dialog: {dialog.message}"))
            for path in ["/people?prefix=mal", "/people/mallory", "/people/mallory/history?days=30", "/people/mallory/why",
                         "/people/mallory/preferences", "/people/mallory/devices", "/log?user=mallory"]:
                one.go(path)
                wide = one.page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, f"{path}: {wide} px wide in a window of {width}"
            # A day that is over says what was sent on it, as today does.
            one.go(f"/people/anna?date={(datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=3)).date()}")
            expect(one.page.get_by_role("region").filter(has=one.page.locator("day-strip"))).to_contain_text("sent on this day")
            one.go("/people/mallory/history?days=30")
            expect(one.page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
            assert "\u202e" not in one.page.inner_text("main"), "a mark of direction is shown as it came"
            assert one.page.locator("main img, main script").count() == 0
            one.page.goto(f"{worker.base}/me#token={worker.person_token('mallory')}")
            expect(one.page.get_by_role("heading", name="Recent notifications")).to_be_visible()
            wide = one.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"settings: {wide} px wide in a window of {width}"


def first_view(browser, worker):
    """The first view of a person: few bytes over the wire, and quick. The figures are told; the bytes are judged."""
    with visit(browser, worker) as one:
        one.sign_in()
        cookies = one.context.cookies()
    with visit(browser, worker) as one:
        one.context.add_cookies(cookies)
        one.context.add_init_script("localStorage.setItem('belfry.session', 'yes')")
        session = one.context.new_cdp_session(one.page)
        session.send("Network.enable")
        taken = []
        session.on("Network.loadingFinished", lambda event: taken.append(event["encodedDataLength"]))
        one.page.goto(worker.base + "/people/anna", wait_until="commit")
        expect(one.page.locator("day-strip svg")).to_be_visible()
        drawn = one.page.evaluate("performance.getEntriesByName('belfry-view')[0]?.startTime ?? performance.now()")
        print(f"first view: {drawn:.0f} ms, {sum(taken)} bytes in {len(taken)} answers", flush=True)
        assert sum(taken) <= MOST_BYTES, f"{sum(taken)} bytes"


def readme(browser, worker):
    """The four pictures of the README."""
    screens = Screens()
    notice = history(worker, "anna")
    with visit(browser, worker, width=1120, height=700) as one:
        one.sign_in()
        for name, path in {"person": f"/people/anna?notice={urllib.parse.quote(notice, safe='')}", "numbers": "/numbers"}.items():
            one.go(path)
            screens.take(one, name, whole=False)
    with visit(browser, worker, width=1120, height=700, scheme="dark") as one:
        one.sign_in()
        one.go("/people/anna/why?kind=check_in")
        screens.take(one, "why", whole=False)
    with visit(browser, worker, width=390, height=700) as one:
        one.page.goto(f"{worker.base}/me#token={worker.person_token('anna')}")
        expect(one.page.get_by_role("heading", name="Recent notifications")).to_be_visible()
        screens.take(one, "settings", whole=False)


SCENARIOS = {"readme": readme, "looks": looks, "hostile": hostile, "first-view": first_view}

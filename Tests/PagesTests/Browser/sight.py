"""How every page looks: wide and narrow, light and dark, judged by axe and kept as pictures."""

import datetime
import json
import sys
import urllib.parse
import urllib.request

from visit import Screens, expect, visit

MOST_BYTES = 96 * 1024
# What came before the view was there: the rest is loaded behind it.
FIRST = """() => {
    const drawn = performance.getEntriesByName("belfry-view")[0]?.startTime ?? performance.now();
    const came = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].filter((one) => one.responseEnd <= drawn);
    return {drawn, bytes: came.reduce((sum, one) => sum + one.transferSize, 0), count: came.length};
}"""


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


WIDTHS = (320, 768, 1024, 1280, 1920)
# From here on a table is read without going sideways.
WIDE_ENOUGH = 1024
CUT = """(isWide) => {
    const cut = [];
    const told = (node) => `${node.localName}.${node.getAttribute("class") ?? ""} ${(node.getAttribute("aria-label") ?? node.textContent).trim().slice(0, 60)}`;
    for (const node of document.querySelectorAll("body *")) {
        if (node.closest("svg, .offscreen, option, datalist, [hidden], dialog:not([open])") || node.getClientRects().length === 0) continue;
        const style = getComputedStyle(node);
        // What is for the ear alone is one pixel wide.
        const isCut = node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 1;
        // What scrolls can be reached with the keyboard; what is hidden is lost.
        if (isCut && ["hidden", "clip"].includes(style.overflowX)) cut.push(`cut: ${told(node)}`);
        if (isCut && ["auto", "scroll"].includes(style.overflowX) && node.matches(".table") && (isWide || node.tabIndex !== 0))
            cut.push(`sideways by ${node.scrollWidth - node.clientWidth} px: ${told(node)}`);
        const box = node.getBoundingClientRect();
        const holder = node.closest(".table, nav, pre, .rail");
        if (!holder && box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) && !node.matches(".skip")) cut.push(`beyond the edge: ${told(node)}`);
    }
    return cut;
}"""


def widths(browser, worker):
    """No page is cut or goes sideways, from a small phone to a wide screen; from 1024 px on no table does either."""
    screens = Screens()
    problems = []
    with visit(browser, worker, width=1280) as one:
        one.sign_in()
        for name, path in {**pages(worker, "anna"), "settings": f"/me#token={worker.person_token('anna')}"}.items():
            one.go(path)
            for width in WIDTHS:
                one.page.set_viewport_size({"width": width, "height": 900})
                one.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
                wide = one.page.evaluate("document.documentElement.scrollWidth")
                found = one.page.evaluate(CUT, width >= WIDE_ENOUGH)
                problems += [f"{name} at {width} px: {what}" for what in found[:4] + ([f"{wide} px wide"] if wide > width else [])]
                if name in ("numbers", "numbers-kind", "policy", "people"):
                    screens.take(one, f"{name}-{width}")
    assert not problems, "\n".join(problems)


# Looks at each stop in front of the next Tab: what has the focus is in its place by then.
WALK = """() => {
    const walk = { stops: new Map(), last: -1, isAround: false, problems: [] };
    const shown = (one) => one && getComputedStyle(one).outlineStyle !== "none";
    // A mark of the day's strip has a ring of its own.
    const hasHalo = (one) => [...one.querySelectorAll(".halo")].some((ring) => !["none", "rgba(0, 0, 0, 0)"].includes(getComputedStyle(ring).stroke));
    const isCovered = (node, box) => {
        const [x, y] = [Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1), Math.min(Math.max(box.top + Math.min(box.height, 40) / 2, 1), innerHeight - 1)];
        const top = document.elementFromPoint(x, y);
        return Boolean(top) && !node.contains(top) && !top.contains(node) && !node.labels?.[0]?.contains(top);
    };
    const judge = (node) => {
        const box = node.getBoundingClientRect();
        const isInSight = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
        const name = `${node.localName}.${node.getAttribute("class") ?? ""} ${(node.getAttribute("aria-label") ?? node.textContent ?? "").trim().slice(0, 50)}`;
        for (const [what, isWrong] of [["no focus shown", !(shown(node) || shown(node.closest("label")) || hasHalo(node))],
            ["out of sight", !isInSight], ["covered", isCovered(node, box)]]) if (isWrong) walk.problems.push(`${what}: ${name}`);
    };
    const look = () => {
        const node = document.activeElement;
        // Behind the last stop is the browser's own, then the first once more. A date is several stops.
        if (walk.isAround || !node || node === document.body || node === document.documentElement) return;
        if (!walk.stops.has(node)) walk.stops.set(node, walk.stops.size);
        const number = walk.stops.get(node);
        walk.isAround = number < walk.last;
        if (number <= walk.last) return;
        walk.last = number;
        judge(node);
    };
    window.walk = walk;
    window.addEventListener("keydown", look, { capture: true });
}"""


def stops(browser, worker):
    """By Tab one comes to everything on every page and out of it again, and sees where one is (WCAG 2.1.2, 2.4.7, 2.4.11)."""
    width = int(sys.argv[2])
    problems = []
    with visit(browser, worker, width=width) as one:
        one.sign_in()
        history_of_a_day = {"history": "/people/anna/history?days=1"}
        for name, path in {**pages(worker, "anna"), **history_of_a_day, "settings": f"/me#token={worker.person_token('anna')}"}.items():
            one.go(path)
            problems += [f"{name} at {width} px: {what}" for what in walked(one, name)]
    assert not problems, "\n".join(problems)


def walked(one, name):
    """Presses Tab until the first stop comes once more. What was wrong at those on the way."""
    one.page.evaluate("document.activeElement.blur()")
    one.page.evaluate(WALK)
    for _ in range(35):
        for _ in range(20):
            one.page.keyboard.press("Tab")
        is_around, last, problems = one.page.evaluate("[walk.isAround, walk.last, walk.problems]")
        if is_around:
            break
    assert is_around and last > 10, f"{name}: no end after {last} stops"
    return problems


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
            expect(one.page.get_by_role("region").filter(has=one.page.locator("day-strip"))).to_contain_text("handed out on this day")
            one.go("/people/mallory/history?days=30")
            expect(one.page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
            assert "\u202e" not in one.page.inner_text("main"), "a mark of direction is shown as it came"
            assert one.page.locator("main img, main script").count() == 0
            one.page.goto(f"{worker.base}/me#token={worker.person_token('mallory')}")
            expect(one.page.get_by_role("heading", name="Recent notifications")).to_be_visible()
            # On their own page nothing is told in code.
            expect(one.page.locator(".title")).to_contain_text("<img src=x onerror=alert(1)><script>alert(2)</script>")
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
        one.page.goto(worker.base + "/people/anna", wait_until="commit")
        expect(one.page.locator("day-strip svg")).to_be_visible()
        first = one.page.evaluate(FIRST)
        print(f"first view: {first['drawn']:.0f} ms, {first['bytes']} bytes in {first['count']} answers", flush=True)
        assert 10_000 < first["bytes"] <= MOST_BYTES, first
        # The page is there as a whole: a worker of another version, or none, takes nothing from one that is open.
        one.context.route("**/*.js", lambda route: route.abort())
        one.page.get_by_role("link", name="Numbers").click()
        expect(one.page.get_by_role("heading", name="Numbers", level=1)).to_be_visible()


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


SCENARIOS = {"readme": readme, "looks": looks, "widths": widths, "stops": stops, "hostile": hostile, "first-view": first_view}

"""What operators rely on in the console: that nothing is hidden, nothing is saved unseen, and everybody finds back."""

import re

from visit import expect, visit
from zones import where_it_is


def strip_of_failures(browser, worker):
    """A mark of the strip that stands for several tells the failure among them, from when to when, and opens it."""
    worker.tell("user_enrolled", "fred", timezone=where_it_is(12), name="Fred")
    worker.tell("device_registered", "fred", device="phone", platform="ios", token="a" * 64)

    def job(number):
        return f"fred/urgent/#{worker.tell('notice_requested', 'fred', kind='urgent', title=f'Fire {number}')}"

    jobs = [job(number) for number in range(2)]
    worker.wait_for("/v1/events?type=job_delivered&user=fred", 2)
    worker.tell("delivery_reported", "fred", job=jobs[1], channel="push", status="failed", permanent=True, code="410")
    # What came last is no failure.
    worker.tell("device_registered", "fred", device="phone", platform="ios", token="b" * 64)
    job(2)
    worker.wait_for("/v1/events?type=job_delivered&user=fred", 3)
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/people/fred")
        mark = one.page.locator('day-strip a[aria-label$=": 1 failed, 2 sent"]')
        expect(mark).to_have_count(1)
        expect(mark).to_have_attribute("aria-label", re.compile(r"^\d\d:\d\d( to \d\d:\d\d)?, 3 in Urgent notices: "))
        expect(mark.locator(".mark.bad")).to_have_count(1)
        mark.click()
        expect(one.page).to_have_url(re.compile(re.escape(jobs[1].split("#")[1]) + "$"))
        expect(one.page.locator("ol.timeline")).to_contain_text("Failed")
        one.check("a strip with a failure")


def overtaken(browser, worker):
    """What the person changed while an operator had a draft of it open is not saved over: the operator sees it and saves again."""
    worker.tell("user_enrolled", "petra", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/people/petra/preferences")
        page = one.page
        draft = page.get_by_role("region", name="What will change")
        end = page.get_by_role("region", name="Quiet hours").get_by_label("To", exact=True)
        end.fill("07:00")
        end.blur()
        expect(draft.get_by_role("listitem")).to_contain_text("08:00")
        worker.ask("PATCH", "/v1/people/petra/preferences", {"quiet_hours": {"end": "06:30"}})
        # What else they changed stands in nobody's way.
        worker.ask("PATCH", "/v1/people/petra/preferences", {"digest_mode": True})
        draft.get_by_role("button", name="Save").click()
        expect(draft).to_contain_text("changed by somebody else meanwhile")
        expect(draft).to_be_focused()
        expect(draft.get_by_role("listitem").first).to_contain_text("06:30")
        changed = worker.ask("GET", "/v1/people/petra/state")["changed"]
        assert changed == {"digest_mode": True, "quiet_hours": {"end": "06:30"}}, changed
        one.check("a draft that was overtaken")
        draft.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved as event")).to_be_visible()
        # A preset sets many: whatever was changed meanwhile is seen first.
        page.get_by_role("button", name="Back to the defaults…").click()
        expect(draft.get_by_role("listitem").first).to_be_visible()
        worker.ask("PATCH", "/v1/people/petra/preferences", {"quiet_hours": {"start": "23:30"}})
        draft.get_by_role("button", name="Save").click()
        expect(draft).to_contain_text("changed by somebody else meanwhile")
        expect(draft).to_contain_text("23:30")
    assert worker.ask("GET", "/v1/people/petra/state")["changed"]["quiet_hours"] == {"start": "23:30", "end": "07:00"}


def finding_back(browser, worker):
    """Ids that nobody can have match nobody; and whoever comes back from a person is where they were in the list."""
    for number in range(120):
        worker.tell("user_enrolled", f"q{number:03}", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        one.sign_in()
        page = one.page
        for typed in ("Person 5", "ש", "a+b"):
            search = page.get_by_label("Find a person")
            search.fill(typed)
            search.press("Enter")
            expect(page.get_by_label("Id begins with")).to_have_value(typed)
            expect(page.get_by_text("Nobody like that")).to_be_visible()
        one.go("/people?prefix=q")
        rows = page.get_by_role("region", name="People", exact=True).locator("tbody tr")
        expect(rows).to_have_count(50)
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(100)
        page.get_by_role("link", name="q090", exact=True).scroll_into_view_if_needed()
        there = page.evaluate("window.scrollY")
        assert there > 1000, there
        page.get_by_role("link", name="q090", exact=True).click()
        expect(page.get_by_role("heading", name="q090", level=1)).to_be_visible()
        page.go_back()
        expect(rows).to_have_count(100)
        expect(page.get_by_role("link", name="q090", exact=True)).to_be_focused()
        assert abs(page.evaluate("window.scrollY") - there) < 50, (there, page.evaluate("window.scrollY"))


def clocks_named(browser, worker):
    """By which clock times are stands beside them, whatever the reader chose; a time that comes twice is told apart."""
    zone = where_it_is(22)
    worker.tell("user_enrolled", "olga", timezone=zone, name="Olga")
    worker.tell("device_registered", "olga", device="phone", platform="ios", token="d" * 64)
    with visit(browser, worker) as one:
        one.sign_in()
        page = one.page
        one.go("/people")
        expect(page.get_by_text("Each time is by that person’s own clock.")).to_be_visible()
        one.go("/people/olga")
        day = page.get_by_role("region").filter(has=page.locator("day-strip"))
        expect(page.get_by_text(f"Times are in {zone}.")).to_be_visible()
        expect(day).to_contain_text("Quiet until 08:00.")
        page.get_by_label("Times").select_option("utc")
        expect(page.get_by_text("Times are in UTC.")).to_be_visible()
        expect(day).to_contain_text(f"Quiet until 08:00 in {zone}.")
        for path in ("/people", "/people/olga/history", "/people/olga/devices"):
            one.go(path)
            expect(page.get_by_text("Times are in UTC.")).to_be_visible()
        # Some times are told by a clock among relative ones too.
        page.get_by_label("Times").select_option("relative")
        for path in ("/people", "/people/olga", "/people/olga/history"):
            one.go(path)
            expect(page.get_by_text("Clock times are in Europe/Berlin.")).to_be_visible()
    with visit(browser, worker, csp=False) as one:
        one.expect_trouble("401")
        one.page.goto(worker.base + "/health")
        told = one.page.evaluate("""async () => {
            const { timeTold } = await import("/assets/common/time.js");
            return ["2024-10-27T00:20:00Z", "2024-10-27T01:20:00Z", "2024-10-27T02:20:00Z"].map((at) => timeTold(at, "Europe/Paris"));
        }""")
        assert told == ["02:20 (UTC+2)", "02:20 (UTC+1)", "03:20"], told
        # What the worker says of a day of years ago is not so of now, nor the other way round. No browser knows these clocks.
        told = one.page.evaluate("""async () => {
            const { clock, heardClock } = await import("/assets/common/time.js");
            const zone = "Europe/Paris", now = new Date();
            heardClock({ timezone: zone, clock: [{ from: "1970-01-01T00:00:00Z", seconds: 7 * 3600 }] });
            heardClock({ timezone: zone, date: "2019-01-05", clock: [{ from: "2018-01-01T00:00:00Z", seconds: 5 * 3600 }] });
            return [clock(now, zone) === clock(new Date(now.getTime() + 7 * 3_600_000), "UTC"), clock("2019-01-05T12:00:00Z", zone)];
        }""")
        assert told == [True, "17:00"], told


def busy_at_first(browser, worker):
    """A worker that cannot answer when the console loads is waited for: the session is still there."""
    with visit(browser, worker) as one:
        one.sign_in()
        page, refused, views = one.page, [], []
        one.expect_trouble("503")

        def busy_view(route):
            if len(views) >= 2:
                return route.continue_()
            views.append(route)
            return route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "the worker is busy"})

        # A view that is refused is asked for again by itself.
        page.route("**/v1/people?*", busy_view)
        one.go("/people")
        expect(page.get_by_text("Nobody yet")).to_be_visible()
        assert len(views) == 2, views
        page.unroute("**/v1/people?*")

        def busy(route):
            if route.request.method != "GET" or len(refused) >= 4:
                return route.continue_()
            refused.append(route)
            return route.fulfill(status=503, json={"error": "the worker is starting"})

        page.route("**/v1/session", busy)
        page.goto(worker.base + "/people")
        expect(page.get_by_text("The worker is starting.")).to_be_visible()
        one.check("a worker that is starting")
        expect(page.get_by_role("heading", name="People", level=1)).to_be_visible()
        expect(page.get_by_label("Token")).to_have_count(0)
        page.unroute("**/v1/session")
        page.get_by_role("button", name="Sign out").click()
        one.expect_trouble("401")
        page.get_by_label("Token").fill("not-the-token")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("This token is not valid.")
        expect(page.get_by_role("alert")).not_to_contain_text("Bearer")


def agenda_answers(browser, worker):
    """Each wake of the agenda is asked about itself: a slot by its own rules, what waits and what was snoozed by its story."""
    for user, hour in (("agnes", 12), ("boris", 22)):
        worker.tell("user_enrolled", user, timezone=where_it_is(hour))
        worker.tell("device_registered", user, device="phone", platform="ios", token=user.encode().hex() * 8)
    worker.tell("preferences_changed", "agnes", patch={"frequency": "daily"})
    worker.tell("points_earned", "agnes", points=5)
    seq = worker.tell("notice_requested", "agnes", kind="alert", title="Build failed")
    worker.wait_for("/v1/events?type=job_delivered&user=agnes", 1)
    worker.tell("notice_snoozed", "agnes", job=f"agnes/alert/#{seq}", minutes=60)
    worker.tell("notice_requested", "boris", kind="alert", title="Rain")
    with visit(browser, worker) as one:
        one.sign_in()
        page = one.page
        wakes = page.get_by_role("region", name="The next wakes").get_by_role("row")
        story = page.get_by_role("region", name="The notice")
        answer = page.get_by_role("region", name="The answer")

        def opens(user, kind, link):
            one.go("/agenda")
            wakes.filter(has_text=user).filter(has_text=kind).first.get_by_role("link", name=link).click()

        opens("boris", "Alerts", "Why it waits")
        expect(story).to_contain_text("Quiet hours: it waits until")
        opens("agnes", "Alerts", "What was snoozed")
        expect(story).to_contain_text("Snoozed")
        # Another digest, raised when this one is out, would have nothing to tell; another check-in would come too soon after this one.
        for kind, label in (("daily_digest", "Daily digest"), ("check_in", "Check-ins")):
            opens("agnes", label, "Would it come?")
            expect(page).to_have_url(re.compile(rf"/people/agnes/why\?kind={kind}&slot="))
            expect(answer).to_contain_text("By schedule, ")
            expect(answer.locator(".verdict")).to_have_text("It would go out at once, by push.")
            one.check(f"what would come of a {kind}")
        worker.tell("preferences_changed", "agnes", patch={"check_ins_enabled": False})
        page.reload()
        expect(answer).to_contain_text("Nothing of this kind is planned for ")
        one.check("a slot that is there no more")


def brought_forward(browser, worker):
    """A check-in that a run brought forward stands in its own day, with when it came and with its story."""
    worker.tell("user_enrolled", "dig", timezone=where_it_is(12))
    worker.tell("device_registered", "dig", device="phone", platform="ios", token="f" * 64)
    worker.tell("preferences_changed", "dig", patch={"frequency": "daily"})
    worker.ask("POST", "/v1/run-now", {"users": ["dig"], "kind": "check_in"})
    today = worker.ask("GET", "/v1/people/dig/day")
    with visit(browser, worker) as one:
        one.sign_in()
        one.go(f"/people/dig?date={today['next_date']}")
        row = one.page.get_by_role("region", name="What happened on this day").get_by_role("row").filter(has_text="Brought forward, to ")
        expect(row).to_have_count(1)
        expect(row).to_contain_text("Check-ins")
        expect(one.page.locator('day-strip [aria-label$="Check-ins: slot brought forward"]')).to_have_count(1)
        one.check("a day whose check-in has been")
        row.locator('a[href*="notice="]:visible').first.click()
        expect(one.page.locator("ol.timeline")).to_contain_text("Handed out")


def erased_links(browser, worker):
    """Whoever was erased has no page: their name in the log leads to their events."""
    worker.tell("user_enrolled", "ezra", timezone=where_it_is(12))
    worker.ask("POST", "/v1/people/ezra/erase", {"user": "ezra"})
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/log")
        events = one.page.get_by_role("region", name="Events, newest first")
        link = events.get_by_role("link", name=re.compile(r"^\[erased \d+\]$")).first
        expect(link).to_have_attribute("href", re.compile(r"^/log\?user=%5Berased%20\d+%5D"))
        link.click()
        expect(one.page.get_by_label("Person", exact=True)).to_have_value(re.compile("^\\[erased "))
        expect(events).to_contain_text("Person erased")
        expect(events.get_by_role("row").filter(has_text="everybody")).to_have_count(0)


SCENARIOS = {
    "agenda": agenda_answers, "brought-forward": brought_forward, "erased-links": erased_links,
    "strip": strip_of_failures, "draft-overtaken": overtaken, "finding-back": finding_back, "clocks": clocks_named, "busy": busy_at_first,
}

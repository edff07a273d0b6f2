"""A person's own view in the console: their address, their day as it happens, what is set for one goal."""

import re
import sys

from settings import open_settings
from visit import Screens, expect, visit
from zones import where_it_is

HAPPENED = "What happened on this day"


def dots(browser, worker):
    """`.` and `..` are ids like any other: found, opened, changed, and at home on their own page."""
    for user in (".", ".."):
        worker.tell("user_enrolled", user, timezone=where_it_is(12))
        worker.tell("device_registered", user, device="phone", platform="ios", token=("f" if user == "." else "9") * 64)
        worker.tell("notice_requested", user, kind="urgent", title=f"For {user}")
    with visit(browser, worker) as one:
        one.sign_in()
        page = one.page
        for user in (".", ".."):
            one.go("/people?prefix=.")
            page.get_by_role("main").get_by_role("link", name=user, exact=True).click()
            expect(page).to_have_url(f"{worker.base}/people/~{user}")
            expect(page.get_by_role("heading", name=user, level=1, exact=True)).to_be_visible()
            page.get_by_role("region", name=HAPPENED).locator('a[href*="notice="]:visible').first.click()
            page.get_by_role("button", name="Show the text").first.click()
            expect(page.locator("blockquote")).to_contain_text(f"For {user}")
            for tab, address in [("Why, why not", "why"), ("History", "history"), ("Devices", "devices"), ("Preferences", "preferences")]:
                page.get_by_role("link", name=tab, exact=True).click()
                expect(page).to_have_url(f"{worker.base}/people/~{user}/{address}")
                expect(page.get_by_role("heading", name=user, level=1, exact=True)).to_be_visible()
            page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True).click()
            page.get_by_role("region", name="What will change").get_by_role("button", name="Save").click()
            expect(page.get_by_text("Saved as event")).to_be_visible()
            page.reload()
            expect(page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True)).not_to_be_checked()
            assert worker.ask("GET", f"/v1/people/~{user}/state")["user"] == user
    with visit(browser, worker) as one:
        one.page.goto(f"{worker.base}/me#token={worker.person_token('..')}")
        expect(one.page.get_by_role("heading", name="Recent notifications")).to_be_visible()
        expect(one.page.get_by_text("For ..")).to_be_visible()


def live_day(browser, worker):
    """A day is drawn anew as things happen. Paused, it stands still; what has the focus keeps it."""
    worker.tell("user_enrolled", "lena", timezone=where_it_is(12), name="Lena")
    worker.tell("device_registered", "lena", device="phone", platform="ios", token="b" * 64)
    worker.tell("user_enrolled", "someone", timezone=where_it_is(12))
    screens = Screens()
    for width in (360, 1440):
        with visit(browser, worker, width=width) as one:
            one.sign_in()
            one.go("/people/lena")
            page = one.page
            expect(page.locator(".live-state")).to_have_text("Live")
            rows = page.get_by_role("region", name=HAPPENED).locator("tbody tr")
            expect(rows.first).to_be_visible()
            before = worker.ask("GET", "/v1/people/lena/state")["all_jobs_today"]
            worker.tell("notice_requested", "lena", kind="urgent", title="The door is open")
            expect(page.locator(".facts")).to_contain_text(f"{before + 1} notice")
            taken = rows.filter(has_text="Taken by push")
            expect(taken).to_have_count(before + 1)
            expect(page.get_by_text(re.compile(f"^{before + 1} notices? handed out so far"))).to_be_visible()
            # The focus stays on the link that has it.
            link = rows.locator('a[href*="notice="]:visible').first
            link.focus()
            address = link.get_attribute("href")
            worker.tell("notice_requested", "lena", kind="urgent", title="Still open")
            expect(taken).to_have_count(before + 2)
            assert page.evaluate("document.activeElement.getAttribute('href')") == address, "the focus was lost"
            page.keyboard.press("p")
            expect(page.locator(".live-state")).to_have_text("Paused")
            worker.tell("notice_requested", "lena", kind="urgent", title="And still")
            worker.ask("GET", "/v1/people/lena/day")
            expect(taken).to_have_count(before + 2)
            page.keyboard.press("p")
            expect(taken).to_have_count(before + 3)
            expect(page.locator(".live-state")).to_have_text("Live")
            one.fits(HAPPENED)
            one.check(f"a live day at {width} px")
            screens.take(one, f"live-day-{width}")
            # The notice that is open goes on as well, and what was unfolded in it stays so.
            link.click()
            every = page.locator("ol.timeline details").first
            every.locator("summary").click()
            worker.tell("notice_requested", "lena", kind="urgent", title="Once more")
            expect(taken).to_have_count(before + 4)
            expect(every).to_have_attribute("open", "")
            # A digest that has nothing to tell is not what comes next, and its slot says why.
            expect(page.get_by_text(re.compile("Next: Daily digest"))).to_have_count(0)
            expect(rows.filter(has_text="Daily digest").filter(has_text="Not to come")).to_contain_text("nothing was gathered")
            # Nothing happens on a day that is to come: there is nothing to follow, nor to pause.
            one.go(f"/people/lena?date={tomorrow(worker)}")
            expect(page.get_by_role("heading", name="What comes")).to_be_visible()
            expect(page.locator(".live-state")).to_have_count(0)
            expect(page.get_by_role("button", name="Pause")).to_have_count(0)


def tomorrow(worker):
    day = worker.ask("GET", "/v1/people/lena/day")
    return day["date"] if day["now"] is None else next_date(day["date"])


def next_date(date):
    import datetime
    return str(datetime.date.fromisoformat(date) + datetime.timedelta(days=1))


def goal(browser, worker):
    """What can be set for one goal: when it reminds, and what comes about it, with the parts of a kind under it."""
    worker.tell("user_enrolled", "gus", timezone=where_it_is(12), name="Gus")
    worker.tell("goal_started", "gus", goal="g1", title="Run 5 km", deadline="2999-01-01T00:00:00Z")
    screens = Screens()
    for width in (360, 1440):
        with visit(browser, worker, width=width) as one:
            one.sign_in()
            one.go("/people/gus/preferences")
            page = one.page
            page.get_by_role("button", name="More about Run 5 km").click()
            reminder = page.get_by_role("group", name="Its reminder")
            expect(reminder.get_by_label("Reminder time")).to_be_visible()
            about = page.get_by_role("group", name="What comes about it")
            assert about.locator(".setting").count() >= 1
            expect(about.get_by_label("Reminder time")).to_have_count(0)
            about.get_by_role("switch").first.click()
            expect(about.get_by_role("switch").first).to_be_focused()
            # It takes its times with it before it is saved.
            expect(reminder.get_by_label("Reminder time")).to_be_disabled()
            expect(page.get_by_role("region", name="What will change").get_by_role("listitem").first).to_contain_text("Run 5 km")
            one.check(f"a goal at {width} px")
            about.scroll_into_view_if_needed()
            screens.take(one, f"goal-{width}", whole=False)
    # What a switch takes with it is greyed out, and says by which switch; what comes all the same says so.
    worker.ask("PATCH", "/v1/people/gus/preferences", {
        "goals": {"g1": {"kinds": {"deadline_warning": {"enabled": False}}}}, "kinds": {"deadline_warning": {"subtypes": {"escalation": True}}}})
    with visit(browser, worker, width=768) as one:
        open_settings(one, worker, "gus")
        page = one.page
        page.get_by_role("button", name="More about Run 5 km").click()
        page.get_by_role("button", name="More about Deadline warnings").click()
        about = page.get_by_role("group", name="What comes about it")
        parts = about.get_by_role("switch", name="Deadline warnings: ")
        assert parts.count() > 3 and all(part.is_disabled() for part in parts.all())
        expect(parts.first).to_have_accessible_description("Without effect as long as “Deadline warnings” is off for this goal.")
        expect(about.get_by_role("switch", name="Referee interactions: ").first).to_be_enabled()
        final = page.get_by_role("region", name="What reaches you").get_by_label("3 hours before")
        expect(final).not_to_be_checked()
        expect(final).to_have_accessible_description(re.compile("Comes all the same: “Send more reminders as deadline approaches” is on."))
        one.check("switches that hang on others")
        screens.take(one, "goal-off")
        about.get_by_role("switch", name="Deadline warnings", exact=True).click()
        expect(parts.first).to_be_enabled()
        # A kind that is off for everybody is off for this goal, whatever is said there.
        worker.ask("PATCH", "/v1/people/gus/preferences", {"kinds": {"deadline_warning": {"enabled": False}}})
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(parts.first).to_be_disabled()
        expect(about.get_by_role("switch", name="Deadline warnings", exact=True)).to_have_accessible_description(re.compile("is off altogether"))


def cluster_day(browser, worker):
    """At one worker of several: whoever has a person, their day is live, and nobody else is asked."""
    with visit(browser, worker) as one:
        one.sign_in()
        for user in sys.argv[2:]:
            one.go(f"/people/{user}")
            expect(one.page.locator(".live-state")).to_have_text("Live")
            worker.tell("notice_requested", user, kind="urgent", title="Look")
            happened = one.page.get_by_role("region", name=HAPPENED)
            expect(happened.get_by_role("row").filter(has_text="Urgent").first).to_be_visible()


SCENARIOS = {"dots": dots, "live-day": live_day, "goal": goal, "cluster-day": cluster_day}

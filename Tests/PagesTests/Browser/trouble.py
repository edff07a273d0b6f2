"""What the console does when something is in the way: the worker, a gateway, a tab that nobody sees, the turn of a day."""

import re
from datetime import datetime, timedelta, timezone

from visit import Screens, expect, visit
from zones import where_it_is

SEEN = """(isSeen) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => !isSeen });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
FEED = "Events as they happen, newest first"


def is_stream(request):
    return "follow=true" in request.url


def unseen(browser, worker):
    """A tab that nobody sees holds none of the browser's connections, and goes on where it was; after a while, with the newest."""
    worker.tell("user_enrolled", "una", timezone=where_it_is(12), name="Una")
    worker.tell("device_registered", "una", device="phone", platform="ios", token="a" * 64)
    with visit(browser, worker) as one:
        page = one.page
        one.expect_trouble("ERR_ABORTED")
        one.sign_in()
        for path, rows, count in [("/now?show=all", FEED, 1), ("/people/una", "What happened on this day", 3)]:
            one.go(path)
            taken = page.get_by_role("region", name=rows).get_by_text("Taken by push")
            expect(page.locator(".live-state")).to_have_text("Live")
            worker.tell("notice_requested", "una", kind="urgent", title="The door is open")
            expect(taken).to_have_count(count)
            with page.expect_event("requestfailed", is_stream):
                page.evaluate(SEEN, False)
            worker.tell("notice_requested", "una", kind="urgent", title="And still")
            with page.expect_request(is_stream) as again:
                page.evaluate(SEEN, True)
            assert again.value.headers.get("last-event-id"), "it does not go on where it was"
            expect(taken).to_have_count(count + 1)
            expect(page.locator(".live-state")).to_have_text("Live")
        one.go("/now?show=all")
        expect(page.locator(".live-state")).to_have_text("Live")
        expect(page.get_by_role("region", name=FEED).get_by_text("Taken by push").first).to_be_visible()
        with page.expect_event("requestfailed", is_stream):
            page.evaluate(SEEN, False)
        page.evaluate("() => { const clock = Date.now; Date.now = () => clock() + 3600e3; }")
        with page.expect_request(is_stream) as anew:
            page.evaluate(SEEN, True)
        assert not anew.value.headers.get("last-event-id"), "an hour's events are asked for"
        expect(page.get_by_role("region", name=FEED).get_by_text("Taken by push").first).to_be_visible()


def behind_a_gateway(browser, worker):
    """A gateway's word that it does not reach the worker is a loss; what is busy is asked again; what could not be done is told."""
    worker.tell("user_enrolled", "gita", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        page = one.page
        one.expect_trouble("502", "503", "401")
        one.sign_in()
        one.go("/now")
        banner, note = page.get_by_text("The worker does not answer. What you see may be old."), page.get_by_text("What stands here is of ")
        page.route("**/v1/now", lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"}))
        expect(note).to_contain_text("The worker is stopping. What stands here is of ")
        expect(banner).to_have_count(0)
        page.unroute("**/v1/now")
        expect(note).to_be_hidden()
        for path in ("**/v1/now", "**/ready"):
            page.route(path, lambda route: route.fulfill(status=502, body="Bad Gateway"))
        expect(banner).to_be_visible()
        expect(note).to_be_visible()
        one.check("a worker behind a gateway that does not reach it")
        for path in ("**/v1/now", "**/ready"):
            page.unroute(path)
        expect(banner).to_have_count(0)
        expect(note).to_be_hidden()
        # A view that could not be shown comes by itself, and is complained of once.
        refused = []

        def busy(route):
            if len(refused) == 3:
                return route.continue_()
            refused.append(route)
            return route.fulfill(status=503, json={"error": "the worker is starting"}, headers={"Retry-After": "1"})

        page.route("**/v1/people?*", busy)
        page.get_by_role("link", name="People", exact=True).click()
        expect(page.get_by_role("heading", name="That did not work")).to_be_visible()
        page.evaluate("""() => {
            window.alerts = 0;
            new MutationObserver(() => { window.alerts += document.querySelectorAll("[role=alert]").length; }).observe(document.querySelector("main"), { childList: true });
        }""")
        expect(page.get_by_role("link", name="gita")).to_be_visible()
        assert len(refused) == 3 and page.evaluate("window.alerts") == 0, (len(refused), page.evaluate("window.alerts"))
        what_was_not_done(one)
        told_of_an_upgrade(one, worker)


def what_was_not_done(one):
    """A click that the worker refuses says so."""
    page, busy = one.page, lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"})
    one.go("/people/gita")
    page.route("**/v1/policy", busy)
    page.get_by_role("button", name="Test…").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_have_count(1)
    expect(dialog).to_contain_text("The kinds cannot be listed just now. The worker is stopping.")
    dialog.get_by_role("button", name="Cancel").click()
    page.unroute("**/v1/policy")
    page.get_by_role("button", name="Test…").click()
    dialog.get_by_label("Kind", exact=True).select_option("alert")
    dialog.get_by_role("button", name="Cancel").click()
    one.go("/numbers")
    page.route("**/v1/stats?*", busy)
    page.get_by_role("button", name="CSV").click()
    expect(page.get_by_text("The worker is stopping.")).to_be_visible()
    page.unroute("**/v1/stats?*")
    page.route("**/v1/session", busy)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("your session goes on there")).to_be_visible()
    page.unroute("**/v1/session")


def told_of_an_upgrade(one, worker):
    """A browser that keeps no session is told why; and a worker of another version is told of, though the session ended with the one before."""
    page = one.page
    page.route("**/v1/session", lambda route: route.fulfill(status=401, json={"error": "no"}) if route.request.method == "GET" else route.continue_())
    page.get_by_label("Token").fill(worker.token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("over plain HTTP this browser keeps a session for this machine alone")
    page.unroute("**/v1/session")
    one.context.clear_cookies()
    page.reload()
    page.route("**/health", lambda route: route.fulfill(json={"status": "ok", "version": "0.0.1"}))
    with page.expect_response("**/health"):
        one.sign_in()
    page.unroute("**/health")
    one.context.clear_cookies()
    page.get_by_role("link", name="Agenda", exact=True).click()
    expect(page.get_by_text("Your session has ended")).to_be_visible()
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type(worker.token)
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"The worker is version \S+ now. Reload to have its pages."))).to_be_visible()


def under_the_hand(browser, worker):
    """What somebody is on stays while events come: the link with the focus, the one that is pressed, and how far the table was moved."""
    worker.tell("user_enrolled", "hans", timezone=where_it_is(12), name="Hans")
    worker.tell("device_registered", "hans", device="phone", platform="ios", token="b" * 64)
    with visit(browser, worker) as one:
        page = one.page
        one.sign_in()
        one.go("/now?show=all")
        feed = page.get_by_role("region", name=FEED)
        taken = feed.get_by_text("Taken by push")
        worker.tell("notice_requested", "hans", kind="urgent", title="The door is open")
        expect(taken).to_have_count(1)
        link = feed.get_by_role("link", name="hans").first
        address = link.evaluate("node => { node.dataset.same = 'yes'; node.focus(); return node.closest('tr').innerText; }")
        senders = page.get_by_role("region", name="Senders and how they are")
        senders.evaluate("node => { node.dataset.same = 'yes'; }")
        with page.expect_response("**/v1/now"):
            worker.tell("notice_requested", "hans", kind="urgent", title="Still open")
        expect(taken).to_have_count(2)
        assert page.evaluate("document.activeElement.closest('tr')?.innerText") == address, "the focus was lost"
        # Newest first, each once.
        numbers = feed.locator('a[href^="/log/"]').evaluate_all("all => all.map(node => Number(node.textContent.slice(1)))")
        assert numbers == sorted(set(numbers), reverse=True), numbers
        with page.expect_response("**/v1/now"):
            pass
        assert senders.get_attribute("data-same") == "yes", "the senders were drawn anew"
        # Between the button's going down and its coming up nothing moves.
        link = feed.locator("[data-same]")
        link.hover()
        page.mouse.down()
        worker.tell("notice_requested", "hans", kind="urgent", title="And still")
        page.wait_for_function("(before) => document.querySelector('.sparkline').getAttribute('aria-label') !== before",
                               arg=page.locator(".sparkline").get_attribute("aria-label"))
        assert taken.count() == 2, "rows moved from under the hand"
        page.mouse.up()
        expect(page).to_have_url(f"{worker.base}/people/hans")


def filters_that_can_be_taken_off(browser, worker):
    """A kind that is chosen is shown, and can be taken off again, also where there is none of it."""
    worker.tell("user_enrolled", "fay", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        page = one.page
        one.sign_in()
        one.go("/agenda?hours=6&kind=streak")
        kind = page.get_by_label("Kind", exact=True)
        expect(kind).to_have_value("streak")
        kind.select_option("")
        expect(page).to_have_url(f"{worker.base}/agenda?hours=6")
        one.go("/numbers?by=kind&kind=alert")
        expect(kind).to_have_value("alert")
        kind.select_option("")
        expect(page).to_have_url(f"{worker.base}/numbers?by=kind")


def words_and_hours(browser, worker):
    """Words, hours and what is put back to its default show in the form at once; what was saved is told as saved."""
    worker.tell("user_enrolled", "wim", timezone=where_it_is(12))
    worker.tell("preferences_changed", "wim", patch={"quiet_hours": {"end": "07:00"}})
    with visit(browser, worker) as one:
        page = one.page
        one.expect_trouble("503", "400")
        one.sign_in()
        one.go("/people/wim/preferences")
        draft = page.get_by_role("region", name="What will change")
        week = page.locator(".week")
        page.get_by_role("button", name="Weekdays", exact=True).last.click()
        expect(week.get_by_label("Monday, from")).to_have_value("09:00")
        more = week.get_by_role("button", name="Add hours on Monday")
        more.focus()
        page.keyboard.press("Enter")
        expect(week.get_by_label("Monday, from")).to_have_count(2)
        expect(week.get_by_role("button", name="Remove 09:00 to 17:00 on Monday")).to_have_count(1)
        assert page.evaluate("document.activeElement.closest('.week-day')?.textContent.startsWith('Mon')"), "the focus was lost"
        # A time that is cleared is not saved, and says so; nobody is thrown out of the field that they go to.
        start = week.get_by_label("Tuesday, from")
        start.fill("08:00")
        page.keyboard.press("Tab")
        start.fill("")
        week.get_by_label("Tuesday, to").focus()
        expect(start).to_have_attribute("aria-invalid", "true")
        expect(start).to_have_accessible_description(re.compile("Tuesday was not saved and is still from 08:00 to 17:00"))
        expect(week.get_by_label("Tuesday, to")).to_be_focused()
        one.check("hours without a beginning")
        week.get_by_role("button", name="Remove 08:00 to 17:00 on Tuesday").or_(
            week.get_by_role("button", name="Remove 09:00 to 17:00 on Tuesday")).first.click()
        expect(week.get_by_label("Tuesday, from")).to_have_count(0)
        word = page.get_by_label("Add to priority keywords")
        word.fill("flood")
        word.press("Enter")
        expect(page.locator(".tokens").get_by_text("flood")).to_be_visible()
        expect(word).to_be_focused()
        quiet = page.get_by_role("region", name="Quiet hours")
        back = quiet.get_by_role("button", name="To: back to 08:00")
        back.click()
        expect(quiet.get_by_label("To", exact=True)).to_have_value("08:00")
        # What is typed wrongly takes nothing from the rest.
        number = page.locator("input[type=number]:enabled").first
        number.fill("9999")
        number.press("Enter")
        expect(draft).to_contain_text("was not saved and is still")
        expect(draft.get_by_role("button", name="Save")).to_be_enabled()
        saved = []
        page.on("response", lambda answer: saved.append(answer) if answer.request.method == "PATCH" else None)
        page.route("**/settings", lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"}) if saved else route.continue_())
        draft.get_by_role("button", name="Save").click()
        expect(draft).to_contain_text("It cannot be shown just now. The worker is stopping.")
        expect(draft.get_by_role("button", name="Save")).to_have_count(0)
        page.unroute("**/settings")
        draft.get_by_role("button", name="Show it").click()
        expect(page.get_by_text("Saved as event")).to_be_visible()
        expect(week.get_by_label("Monday, from")).to_have_count(2)
        # What cannot be thrown away just now is still there.
        quiet.get_by_label("Quiet hours", exact=True).click()
        expect(draft.get_by_role("listitem")).to_have_count(1)
        page.route("**/settings", lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"}))
        draft.get_by_role("button", name="Discard").click()
        expect(draft).to_contain_text("The worker is stopping.")
        page.unroute("**/settings")
        draft.get_by_role("button", name="Discard").press("Enter")
        expect(draft).to_be_hidden()
        expect(quiet.get_by_label("Quiet hours", exact=True)).to_be_focused()
    changed = worker.ask("GET", "/v1/people/wim/state")["changed"]
    assert len(saved) == 1 and changed["schedule"]["mon"][0] == ["09:00", "17:00"], (len(saved), changed)
    assert "quiet_hours" not in changed, changed


def turn_of_the_day(browser, worker):
    """What the worker told of a year holds for that year; at the turn of the year, and over night, a time is told from today's."""
    with visit(browser, worker, csp=False) as one:
        one.expect_trouble("401")
        one.page.goto(worker.base + "/health")
        told = one.page.evaluate("""async () => {
            const { clock, heardClock, heardTime, stamp, when } = await import("/assets/common/time.js");
            const told = {};
            heardTime("Sat, 02 Jan 2027 12:00:00 GMT");
            const zone = "Europe/Paris";
            const about = (at, seconds, date) => heardClock({ timezone: zone, date, clock: [{ from: new Date(Date.parse(at) - 370 * 86400000).toISOString(), seconds }] });
            about("2027-01-02T12:00:00Z", 7200);
            about("2024-03-01T00:00:00Z", 10800, "2024-03-01");
            told.clocks = ["2027-01-02T12:00:00Z", "2024-03-02T12:00:00Z", "2021-03-02T12:00:00Z"].map((at) => clock(at, zone));
            const full = { zone: "America/New_York", theirs: true, full: true };
            told.years = [when("2027-01-01T02:00:00Z", full), when("2027-01-01T06:00:00Z", full)];
            heardTime("Thu, 31 Dec 2026 12:00:00 GMT");
            told.years.push(when("2026-12-31T09:00:00Z", { zone: "Pacific/Auckland", theirs: true, full: true }));
            heardTime("Fri, 15 Jan 2027 16:00:00 GMT");
            const node = stamp("2027-01-15T15:02:00Z", { zone: "Etc/UTC", theirs: true });
            document.body.append(node);
            told.friday = node.textContent;
            heardTime("Mon, 18 Jan 2027 08:00:00 GMT");
            document.dispatchEvent(new Event("visibilitychange"));
            told.monday = node.textContent;
            return told;
        }""")
        assert told["clocks"] == ["14:00", "15:00", "13:00"], told
        assert [re.findall(r"\b20\d\d\b", year) for year in told["years"]] == [["2026"], [], ["2026"]], told
        assert told["friday"] == "15:02" and "15 Jan" in told["monday"], told


def comparison_in_trouble(browser, worker):
    """A comparison goes on over a worker that is busy; what runs is led to; and what is in the box is what was chosen last."""
    worker.tell("user_enrolled", "pol", timezone=where_it_is(12))
    report = {"from": "2026-01-01T00:00:00.000Z", "to": "2026-01-02T00:00:00.000Z", "gained": 1, "lost": 0, "moved": 0, "kinds": [],
              "people": [], "refused": 0, "examples": []}
    with visit(browser, worker) as one:
        page = one.page
        one.expect_trouble("503", "409", "429")
        one.sign_in()
        answers = [(503, {"error": "busy"}), (429, {"error": "busy"}), (200, {"state": "running", "progress": 0.5}), (200, {"state": "done", "progress": 1, "report": report})]

        def told(route):
            status, body = answers.pop(0) if len(answers) > 1 else answers[0]
            route.fulfill(status=status, json=body)

        page.route("**/v1/what-if/0123abcd", told)
        page.route("**/v1/what-if", lambda route: route.fulfill(status=409, json={"error": "another what-if is running", "id": "0123abcd"}))
        one.go("/policy")
        page.get_by_role("button", name="Hold against the log").click()
        page.get_by_role("button", name="Show that one").click()
        expect(page).to_have_url(f"{worker.base}/policy?what_if=0123abcd")
        expect(page.get_by_text("jobs that would come")).to_be_visible()
        page.unroute("**/v1/what-if")
        # Adopting in vain takes nothing away of what came of it.
        page.route("**/v1/what-if", lambda route: route.fulfill(status=202, json={"id": "0123abcd"}))
        page.get_by_role("button", name="Hold against the log").click()
        adopt = page.get_by_role("button", name="Adopt this policy…")
        adopt.click()
        page.route("**/v1/facts", lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"}))
        page.get_by_role("button", name="Adopt", exact=True).click()
        expect(page.get_by_text("The worker is stopping.")).to_be_visible()
        expect(page.get_by_text("jobs that would come")).to_be_visible()
        expect(adopt).to_be_visible()
        answers_out_of_turn(one)


def answers_out_of_turn(one):
    """An answer that comes late is about what was in the box before, and changes nothing."""
    page, held = one.page, []
    one.go("/policy")
    document = page.get_by_label("Document", exact=True)
    own = document.input_value()
    run = page.get_by_role("button", name="Hold against the log")
    page.route("**/v1/policy/coachme", lambda route: held.append(route))
    with page.expect_request("**/v1/policy/coachme"):
        page.get_by_label("Begin with").select_option(label="Shipped: coachme")
    page.get_by_label("Begin with").select_option(label="The one in force")
    with page.expect_response("**/v1/policy/coachme"):
        held.pop().continue_()
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(document).to_have_value(own)
    page.route("**/v1/policy/check", lambda route: held.append(route) if '"wrong"' in route.request.post_data else route.continue_())
    with page.expect_request("**/v1/policy/check"):
        document.fill('{"wrong": 1}')
    with page.expect_response("**/v1/policy/check") as right:
        document.fill(own)
    assert right.value.json()["ok"], right.value.json()
    expect(run).to_be_enabled()
    with page.expect_response("**/v1/policy/check"):
        held.pop().continue_()
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(run).to_be_enabled()
    expect(page.get_by_text("This is no policy yet.")).to_have_count(0)
    page.unroute("**/v1/policy/check")
    # What may be adopted and says something in vain may be compared all the same.
    document.fill('{"name":"own","kinds":[{"name":"news","on_request":true,"channels":["sms"]}]}')
    doubt = page.get_by_text("This is a policy. Some of it may not be meant so:")
    expect(doubt).to_be_visible()
    expect(page.get_by_text("kinds[0].channels: sms: off for whoever has not switched it on")).to_be_visible()
    expect(run).to_be_enabled()
    document.fill(own)
    expect(doubt).to_have_count(0)
    page.route("**/v1/policy/check", lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"}))
    document.fill(own + "\n")
    expect(page.get_by_text("Whether this is a policy cannot be said just now. The worker is stopping.")).to_be_visible()
    expect(run).to_be_enabled()


def long_lists(browser, worker):
    """More of a list is where whoever asked for it goes on; what cannot be had just now takes nothing away."""
    for number in range(60):
        worker.tell("user_enrolled", f"l{number:02}", timezone=where_it_is(12))
    worker.tell("device_registered", "l00", device="phone", platform="ios", token="c" * 64)
    for number in range(103):
        seq = worker.tell("notice_requested", "l00", kind="urgent", title=f"Water {number}")
    with visit(browser, worker) as one:
        page = one.page
        one.expect_trouble("503")
        one.sign_in()
        one.go("/people?prefix=l")
        rows = page.get_by_role("region", name="People", exact=True).locator("tbody tr")
        more = page.get_by_role("button", name="Show more")
        page.route("**/v1/people?*", lambda route: route.fulfill(status=503, json={"error": "the worker is stopping"}))
        more.click()
        expect(page.get_by_text("The worker is stopping.")).to_be_visible()
        expect(rows).to_have_count(50)
        page.unroute("**/v1/people?*")
        more.press("Enter")
        expect(rows).to_have_count(60)
        expect(page.get_by_role("link", name="l50", exact=True)).to_be_focused()
        one.go("/people/l00/history")
        entries = page.get_by_role("region", name="History").locator("ol.timeline > li")
        expect(entries).to_have_count(100)
        page.get_by_role("button", name=re.compile("^Show [1-9] more of [1-9]$")).press("Enter")
        expect(entries.nth(100).get_by_role("link")).to_be_focused()
        expect(entries.filter(has_text="Water 0")).to_have_count(1)
        expect(page.get_by_role("button", name=re.compile("^Show "))).to_have_count(0)
        one.check("a long history")
        # What took the place of the button has the focus, for whoever has no pointer.
        one.go(f"/log/{seq}")
        page.get_by_role("button", name="Show the data").press("Enter")
        expect(page.get_by_label("The event’s data")).to_be_focused()
        one.go(f"/people/l00/notice?notice={f'l00/urgent/%23{seq}'}")
        page.get_by_role("button", name="Show the text").press("Enter")
        expect(page.locator("blockquote")).to_be_focused()
        one.go("/people/l00")
        page.get_by_role("button", name="Settings link…").click()
        page.get_by_role("button", name="Make the link").click()
        page.get_by_role("button", name="Revoke it").press("Enter")
        expect(page.get_by_text("The link no longer opens anything.")).to_be_focused()


def what_is_wrong(browser, worker):
    """What is wrong and stays so stands on the first page for as long as it lasts, and so does a sender that asked for a pause."""
    later = datetime.now(timezone.utc) + timedelta(hours=1)
    with visit(browser, worker) as one:
        page = one.page
        one.sign_in()

        def told(route):
            now = route.fetch().json()
            now["troubles"] = [
                {"what": "file_refused", "words": 'the policy stays as it was: mine.json: daily_cap: "many" is not a number'},
                {"what": "unknown_zones", "words": "1 person lives in zones that this machine does not know. Install tzdata-legacy"}]
            now["carriers"] = [
                {"name": "webhook https://hooks.example.org", "waiting": 7, "broken": False, "problem": "answered 503",
                 "next_try_at": later.strftime("%Y-%m-%dT%H:%M:%S.000Z")},
                {"name": "analyser", "waiting": 0, "broken": False, "problem": None, "next_try_at": None},
                {"name": "smtp", "waiting": 0, "broken": False, "problem": "answered 451",
                 "next_try_at": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")}]
            route.fulfill(json=now)

        page.route("**/v1/now", told)
        one.go("/now")
        words = page.get_by_text('The policy stays as it was: mine.json: daily_cap: "many" is not a number.')
        expect(words).to_be_visible()
        expect(page.get_by_text("Install tzdata-legacy.")).to_be_visible()
        for name, state in [("webhook", "Paused until"), ("analyser", "Well"), ("smtp", "Troubled")]:
            expect(page.get_by_role("row", name=re.compile(name))).to_contain_text(state)
        one.check("what is wrong")
        one.fits("Senders and how they are")
        Screens().take(one, "troubles")
        page.unroute("**/v1/now")
        expect(words).to_have_count(0)
        expect(page.get_by_role("row", name=re.compile("webhook"))).to_have_count(0)


SCENARIOS = {
    "wrong": what_is_wrong, "unseen": unseen, "gateway": behind_a_gateway, "under-the-hand": under_the_hand, "filters": filters_that_can_be_taken_off,
    "words": words_and_hours, "turn-of-the-day": turn_of_the_day, "comparison": comparison_in_trouble,
    "long-lists": long_lists,
}

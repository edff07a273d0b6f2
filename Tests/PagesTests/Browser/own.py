"""What a person's own page does where things go otherwise than usual: another device, a worker that is away, a pass that ended."""

import re

from settings import changed, open_settings
from visit import Screens, expect, visit
from zones import where_it_is


def exceptions(page):
    return page.get_by_role("group", name="Exceptions")


def on_two_devices(browser, worker):
    """Each device adds to a list what it adds, whatever the other saved since it was drawn; and each shows what holds."""
    worker.tell("user_enrolled", "zoe", timezone=where_it_is(12), name="Zoe")
    with visit(browser, worker) as phone, visit(browser, worker) as laptop:
        for one in (phone, laptop):
            open_settings(one, worker, "zoe")
        exceptions(phone.page).get_by_label("Goal reminders").click()
        expect(phone.page.get_by_role("status").first).to_contain_text("Saved")
        exceptions(laptop.page).get_by_label("Referee interactions").click()
        expect(laptop.page.get_by_role("status").first).to_contain_text("Saved")
        assert set(changed(worker, "zoe")["quiet_hours"]["exceptions"]) == {"critical", "goal_reminder", "referee"}
        expect(exceptions(laptop.page).get_by_label("Goal reminders")).to_be_checked()
        # What is taken back is what was put in here, and no more.
        phone.page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(phone.page.get_by_role("status").first).to_contain_text("changed elsewhere")
        expect(exceptions(phone.page).get_by_label("Referee interactions")).to_be_checked()
        exceptions(phone.page).get_by_label("Social & community").click()
        expect(phone.page.get_by_role("status").first).to_contain_text("Saved")
        laptop.page.get_by_role("button", name="Undo").click()
        expect(exceptions(laptop.page).get_by_label("Referee interactions")).not_to_be_checked()
        assert set(changed(worker, "zoe")["quiet_hours"]["exceptions"]) == {"critical", "goal_reminder", "social"}
        # A page that is only looked at follows as well.
        phone.page.clock.install()
        phone.page.reload()
        expect(phone.page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
        worker.ask("PATCH", "/v1/people/zoe/preferences", {"quiet_hours": {"exceptions": []}})
        phone.page.clock.fast_forward(20_000)
        expect(exceptions(phone.page).get_by_label("Goal reminders")).not_to_be_checked()
        # What nobody can choose otherwise is told as it is, whatever the list says.
        always = exceptions(phone.page).get_by_label("Critical notices (always)")
        expect(always).to_be_checked()
        expect(always).to_be_disabled()
        # Where the policy takes a setting away from under an open page, it says so in a person's words, and is drawn anew. It does not
        # look by itself meanwhile, or the setting would be gone before anybody can change it.
        phone.expect_trouble("400")
        phone.page.clock.pause_at(phone.page.evaluate("Date.now()") / 1000 + 5)
        policy = worker.ask("GET", "/v1/policy")["policy"]
        without = policy | {"name": "quieter", "presets": [], "kinds": [one for one in policy["kinds"] if one["name"] != "social"]}
        worker.tell("policy_adopted", None, policy=without)
        phone.page.get_by_role("switch", name="Social & community").click()
        status = phone.page.get_by_role("status").first
        expect(status).to_contain_text("It was not saved. What can be set here has changed meanwhile.")
        expect(phone.page.get_by_role("switch", name="Social & community")).to_have_count(0)
        expect(phone.page.get_by_role("switch", name="Goal reminders", exact=True)).to_be_visible()
        laptop.page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(laptop.page.get_by_role("status").first).to_contain_text("What can be set here has changed meanwhile.")


def behind_another_device(browser, worker):
    """Undo takes back its own change and no later one of another device; and beside a refusal stands what it is about."""
    worker.tell("user_enrolled", "pia", timezone=where_it_is(12), name="Pia")
    with visit(browser, worker) as one:
        one.expect_trouble("400")
        open_settings(one, worker, "pia")
        page = one.page
        expect(page.get_by_role("region", name="Recent notifications")).to_contain_text("There is nothing to show for this time.")
        quiet = page.get_by_role("region", name="Quiet hours")
        start, end = quiet.get_by_label("From", exact=True), quiet.get_by_label("To", exact=True)
        status = page.get_by_role("status").first
        end.fill("07:15")
        end.blur()
        expect(status).to_contain_text("Saved")
        worker.ask("PATCH", "/v1/people/pia/preferences", {"quiet_hours": {"end": "06:30"}})
        page.get_by_role("button", name="Undo").click()
        expect(status).to_contain_text("Nothing was taken back: “To” was changed again since.")
        expect(end).to_have_value("06:30")
        assert changed(worker, "pia") == {"quiet_hours": {"end": "06:30"}}
        worker.ask("PATCH", "/v1/people/pia/preferences", {"quiet_hours": {"end": "07:00"}})
        start.fill("07:00")
        expect(status).to_contain_text("quiet hours that start and end at 07:00 are refused")
        expect(status).to_contain_text("is still 22:00")
        expect(end).to_have_value("07:00")
        expect(start).to_have_value("07:00")
        expect(start).to_have_attribute("aria-invalid", "true")
        expect(start).to_be_focused()
        # Whoever goes on from there does not ask for it once more.
        status.get_by_role("button", name="Close").click()
        expect(status).to_be_empty()
        end.fill("06:45")
        end.blur()
        expect(status).to_contain_text("Saved: Quiet hours end at 06:45")
    assert changed(worker, "pia") == {"quiet_hours": {"end": "06:45"}}


def marks_of_direction(browser, worker):
    """A title with marks of direction is shown as in its notice: without them, and in the direction of its letters."""
    worker.tell("user_enrolled", "noa", timezone=where_it_is(12), name="Noa")
    worker.tell("goal_started", "noa", goal="g1", title="\u2067ריצה\u2069 \u202e5", deadline="2999-01-01T00:00:00Z")
    worker.tell("notice_requested", "noa", kind="referee", subject="goal:g1")
    with visit(browser, worker, width=360) as one:
        open_settings(one, worker, "noa")
        for place in ("Goals", "Recent notifications"):
            title = one.page.get_by_role("region", name=place).locator("bdi").filter(has_text="ריצה 5").first
            expect(title).to_be_visible()
        goal = one.page.get_by_role("region", name="Goals").locator("bdi").filter(has_text="ריצה 5").first
        assert goal.evaluate("node => getComputedStyle(node).direction") == "rtl"
        shown = one.page.inner_text("main")
        assert "\\u{" not in shown and "\u202e" not in shown and "\u2067" not in shown, shown


def back_to_a_zone(browser, worker):
    """A time zone has no default to go back to: taken back, it is the one it was."""
    before = where_it_is(12)
    worker.tell("user_enrolled", "kai", timezone=before, name="Kai")
    with visit(browser, worker) as one:
        open_settings(one, worker, "kai")
        zone = one.page.get_by_label("Time zone", exact=True)
        zone.fill("Asia/Tokyo")
        zone.blur()
        expect(one.page.locator(".title")).to_contain_text("in Asia/Tokyo")
        one.page.get_by_role("button", name="Undo").click()
        expect(one.page.locator(".title")).to_contain_text(f"in {before}")
        assert worker.ask("GET", "/v1/people/kai/state")["timezone"] == before


def while_it_is_away(browser, worker):
    """What is changed while the worker is away is saved when it is back, once."""
    worker.tell("user_enrolled", "ugo", timezone=where_it_is(12), name="Ugo")
    with visit(browser, worker) as one:
        one.expect_trouble("Failed to load resource", "ERR_CONNECTION")
        open_settings(one, worker, "ugo")
        print("stop", flush=True)
        assert input() == "stopped"
        one.page.get_by_role("region", name="What reaches you").get_by_label("Social & community", exact=True).click()
        expect(one.page.get_by_role("status").filter(has_text="Not saved yet")).to_be_visible()
        expect(one.page.get_by_text("We cannot reach the server")).to_be_visible()
        print("start", flush=True)
        expect(one.page.get_by_role("status").filter(has_text="Saved:")).to_be_visible()
    told = [one for one in worker.lines("/v1/events?type=preferences_changed&user=ugo") if one["user"] == "ugo"]
    assert len(told) == 1, told
    assert "social" in changed(worker, "ugo")["kinds"]


def without_a_pass(browser, worker):
    """A pass that ended under a change, one that never was a pass, and one of somebody of whom nothing was told."""
    worker.tell("user_enrolled", "eli", timezone=where_it_is(12), name="Eli")
    with visit(browser, worker) as one:
        one.expect_trouble("401")
        open_settings(one, worker, "eli")
        worker.ask("DELETE", "/v1/people/eli/tokens")
        one.page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True).click()
        expect(one.page.get_by_role("heading", name="pass has ended")).to_be_visible()
        expect(one.page.get_by_text("Your last change was not saved")).to_be_visible()
        assert changed(worker, "eli") == {}
        token = worker.person_token("eli")
        one.page.evaluate("(token) => { location.hash = `token=${token}`; }", token)
        expect(one.page.get_by_role("status").filter(has_text="Your last change was not saved")).to_be_visible()
        worker.ask("DELETE", "/v1/people/eli/tokens")
        one.page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(one.page.get_by_role("heading", name="pass has ended")).to_be_visible()
        expect(one.page.get_by_text("not saved")).to_have_count(0)
    for fragment in ("a%0Ab", "%E0%A4%A", "%C3%A9"):
        with visit(browser, worker) as one:
            one.page.goto(f"{worker.base}/me#token={fragment}")
            expect(one.page.get_by_role("heading", name="pass has ended")).to_be_visible()
    with visit(browser, worker, width=360) as one:
        one.expect_trouble("404")
        one.page.goto(f"{worker.base}/me#token={worker.person_token('newcomer')}")
        expect(one.page.get_by_role("heading", name="There is nothing to set yet")).to_be_visible()
        assert "belfry" not in one.page.inner_text("main").lower()
        one.check("newcomer")
        worker.tell("user_enrolled", "newcomer", timezone="UTC")
        one.page.get_by_role("button", name="Try again").click()
        expect(one.page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()


def warned_of_silence(browser, worker):
    """Switching the last channel off asks first, as switching everything off does; and the kinds' own choices rest with it."""
    worker.tell("user_enrolled", "ben", timezone=where_it_is(12), name="Ben")
    with visit(browser, worker) as one:
        open_settings(one, worker, "ben")
        page = one.page
        expect(page.get_by_role("button", name="Add phone number")).to_have_count(0)
        channels = page.get_by_role("region", name="Channels")
        channels.get_by_label("Push", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("No channel is left for your notices: you may miss check-ins")
        dialog.get_by_role("button", name="Leave it").click()
        expect(channels.get_by_label("Push", exact=True)).to_be_checked()
        assert changed(worker, "ben") == {}
        channels.get_by_label("Push", exact=True).click()
        dialog.get_by_role("button", name="Save").click()
        expect(channels.get_by_label("Push", exact=True)).not_to_be_checked()
        page.get_by_role("button", name="More about Alerts").click()
        sent_by = page.get_by_role("group", name="Sent by").first
        expect(sent_by.get_by_label("Push")).to_be_disabled()
        expect(page.get_by_text("Switched off for everything").first).to_be_visible()


def their_history(browser, worker):
    """Each entry says what it is of, when, and why it failed in plain words; leads to the setting; and is sent again."""
    worker.tell("user_enrolled", "hilda", timezone=where_it_is(12), name="Hilda", email="hilda@example.org")
    worker.tell("device_registered", "hilda", device="phone", platform="ios", token="e" * 64)
    seq = worker.tell("notice_requested", "hilda", kind="payment", title="Payment failed", body="Card 42 was declined")
    job = f"hilda/payment/#{seq}"
    worker.wait_for("/v1/events?type=job_delivered&user=hilda", 1)
    worker.tell("delivery_reported", "hilda", job=job, channel="push", status="failed", permanent=True, code="410 Unregistered")
    worker.tell("delivery_reported", "hilda", job=job, channel="email", status="bounced", permanent=True, code="550 5.1.1")
    worker.tell("push_permission_changed", "hilda", status="denied")
    worker.tell("test_requested", "hilda", kind="goal_reminder")
    with visit(browser, worker, width=360) as one:
        one.expect_trouble("400")
        open_settings(one, worker, "hilda")
        page = one.page
        history = page.get_by_role("region", name="Recent notifications")
        entry = history.get_by_role("listitem").filter(has_text="Payment failed")
        expect(entry).to_contain_text("Today, ")
        expect(entry).to_contain_text("Payment & financial")
        expect(entry).to_contain_text("push token invalid")
        expect(entry).to_contain_text("mails to your address come back")
        entry.get_by_text("Details").click()
        expect(entry).to_contain_text(job)
        expect(entry).to_contain_text("410 Unregistered")
        one.check("history")
        entry.get_by_role("button", name="Fix").click()
        expect(page.get_by_role("region", name="Channels").get_by_label("Push", exact=True)).to_be_focused()
        sample = history.get_by_role("listitem").filter(has_text="Goal reminders")
        expect(sample).to_contain_text("Test")
        expect(sample).to_contain_text("no chosen channel reaches you")
        history.get_by_role("button", name="Retry failed").click()
        expect(history.get_by_role("status")).to_contain_text("sent again")


def untitled(browser, worker):
    """Notices that have no title yet are told from each other by what they are about and when they came, in the history and before a
    change that would drop or release them."""
    worker.tell("user_enrolled", "gwen", timezone=where_it_is(22), name="Gwen")
    worker.tell("device_registered", "gwen", device="phone", platform="ios", token="c" * 64)
    for goal, title in [("g1", "Run 5 km"), ("g2", "Read a book")]:
        worker.tell("goal_started", "gwen", goal=goal, title=title, deadline="2999-01-01T00:00:00Z")
        worker.tell("notice_requested", "gwen", kind="referee", subject=f"goal:{goal}")
    with visit(browser, worker, width=360) as one:
        open_settings(one, worker, "gwen")
        page = one.page
        history = page.get_by_role("region", name="Recent notifications")
        for title in ("Run 5 km", "Read a book"):
            expect(history.get_by_role("listitem").filter(has_text=f"Referee interactions: {title}")).to_contain_text(re.compile("Today, 2[23]:"))
        page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True).click()
        waiting = page.get_by_role("dialog").get_by_role("listitem").filter(has_text="would come")
        for title in ("Run 5 km", "Read a book"):
            expect(waiting.filter(has_text=f"Referee interactions: {title}")).to_contain_text(re.compile(r"2[23]:\d\d\)"))
        one.check("what waits")
        Screens().take(one, "what-waits", whole=False)
        page.keyboard.press("Escape")


def their_retries(browser, worker):
    """What failed is offered again only where it can be sent; else it says why, by the person's clock. Each button names its notice."""
    worker.wait_for("/v1/events?type=job_failed&user=rhea", 1)
    with visit(browser, worker, width=360, zone="Pacific/Marquesas") as one:
        open_settings(one, worker, "rhea")
        history = one.page.get_by_role("region", name="Recent notifications")
        late = history.get_by_role("listitem").filter(has_text="Water in the cellar")
        expect(late).to_contain_text("Failed")
        expect(late).to_contain_text("It cannot be sent again: its time passed")
        expect(late).not_to_contain_text("Z.")
        expect(late.get_by_role("button", name="Try again")).to_have_count(0)
        expect(history.get_by_role("button", name="Retry failed")).to_have_count(0)
        seq = worker.tell("notice_requested", "rhea", kind="urgent", title="The door is open")
        worker.wait_for("/v1/events?type=job_delivered&user=rhea", 1)
        worker.tell("delivery_reported", "rhea", job=f"rhea/urgent/#{seq}", channel="push", status="failed", permanent=False, code="503")
        one.page.reload()
        again = history.get_by_role("button", name=re.compile("^Try again: The door is open, (Today|Yesterday) "))
        expect(again).to_have_text("Try again")
        one.check("retries")
        Screens().take(one, "retries")
        again.click()
        expect(history.get_by_role("status")).to_contain_text("It is being sent again.")


def more_hours(browser, worker):
    """Hours are added where the day has none yet, and what is saved says which."""
    worker.tell("user_enrolled", "ona", timezone=where_it_is(12), name="Ona")
    with visit(browser, worker) as one:
        open_settings(one, worker, "ona")
        week = one.page.get_by_role("region", name="Weekly schedule")
        week.get_by_role("button", name="Weekdays").click()
        status = one.page.get_by_role("status").first
        expect(status).to_contain_text("Notices come only in these hours: Monday, Tuesday, Wednesday, Thursday and Friday 09:00–17:00")
        expect(week).to_contain_text("Only what is urgent comes")
        week.get_by_role("button", name="Add hours on Monday").click()
        expect(status).to_contain_text("On Monday notices come 09:00–17:00 and 18:00–20:00 instead of 09:00–17:00")
    assert changed(worker, "ona")["schedule"]["mon"] == [["09:00", "17:00"], ["18:00", "20:00"]]


def two_edits(browser, worker):
    """The second of two changes to a day comes before the first is saved, and both count; so does a word that is begun meanwhile."""
    worker.tell("user_enrolled", "uma", timezone=where_it_is(12), name="Uma")
    worker.tell("preferences_changed", "uma", patch={"schedule": {"mon": [["09:00", "17:00"]]}})
    with visit(browser, worker) as one:
        held = []

        def hold_first(route):
            if route.request.method == "PATCH" and not held:
                held.append(route)
            else:
                route.continue_()
        one.page.route("**/preferences", hold_first)
        open_settings(one, worker, "uma")
        with one.page.expect_request(lambda request: request.method == "PATCH"):
            one.page.get_by_label("Monday, from").fill("18:00")
        one.page.get_by_label("Monday, to").fill("20:00")
        # Back to what is drawn, and on again.
        one.page.get_by_label("Monday, to").fill("17:00")
        one.page.get_by_label("Monday, from").fill("09:00")
        one.page.get_by_label("Monday, from").fill("18:00")
        one.page.get_by_label("Monday, to").fill("20:00")
        held[0].continue_()
        status = one.page.get_by_role("status").first
        expect(status).to_contain_text("On Monday notices come 18:00–20:00 instead of 18:00–17:00")
        # Pressed twice before the first is drawn: hours behind those hours, and not the same once more.
        one.page.get_by_role("button", name="Add hours on Tuesday").dblclick()
        expect(one.page.get_by_label("Tuesday, from")).to_have_count(2)
        expect(one.page.get_by_label("Monday, to")).to_have_value("20:00")
    schedule = changed(worker, "uma")["schedule"]
    assert schedule["mon"] == [["18:00", "20:00"]] and schedule["tue"] == [["09:00", "17:00"], ["18:00", "20:00"]], schedule


def two_presses(browser, worker):
    """What is put into a list and taken out again before the first is saved, and what is taken out one after the other."""
    worker.tell("user_enrolled", "ute", timezone=where_it_is(12), name="Ute")
    worker.tell("preferences_changed", "ute", patch={"priority_keywords": ["fire", "flood", "storm"]})
    with visit(browser, worker) as one:
        page, held = one.page, []

        def hold(route):
            if route.request.method == "PATCH" and not held:
                held.append(route)
            else:
                route.continue_()
        page.route("**/preferences", hold)
        open_settings(one, worker, "ute")
        status = page.get_by_role("status").first
        quiet = page.get_by_role("region", name="Quiet hours")
        with page.expect_request(lambda request: request.method == "PATCH"):
            quiet.get_by_role("button", name="Weekdays").click()
        quiet.get_by_role("button", name="All days").click()
        held[0].continue_()
        expect(status).to_contain_text("Quiet hours are kept on every day instead of Monday")
        expect(quiet.get_by_label("Sat")).to_be_checked()
        assert sorted(worker.ask("GET", "/v1/people/ute/state")["preferences"]["quiet_hours"]["days"]) == sorted(
            ["mon", "tue", "wed", "thu", "fri", "sat", "sun"])
        held.clear()
        with page.expect_request(lambda request: request.method == "PATCH"):
            page.get_by_role("button", name="Remove fire").click()
        page.get_by_role("button", name="Remove flood").click()
        held[0].continue_()
        expect(page.get_by_role("button", name="Remove flood")).to_have_count(0)
        expect(page.get_by_role("button", name="Remove storm")).to_be_visible()
    assert changed(worker, "ute")["priority_keywords"] == ["storm"], changed(worker, "ute")


def other_pass(browser, worker):
    """Another pass comes to the page that is open, and it may be somebody else's: nothing of what the one before typed is there."""
    for user in ["anke", "bodo"]:
        worker.tell("user_enrolled", user, timezone=where_it_is(12), name=user.title())
    with visit(browser, worker) as one:
        open_settings(one, worker, "anke")
        page = one.page
        page.get_by_role("button", name="Add phone number").click()
        number = page.get_by_label("Phone number, with the country’s code")
        number.fill("+33612345678")
        page.evaluate("token => { location.hash = `token=${token}` }", worker.person_token("bodo"))
        expect(page.get_by_text("Bodo", exact=False).first).to_be_visible()
        page.get_by_role("button", name="Add phone number").click()
        expect(number).to_have_value("")


def begun_word(browser, worker):
    """A word for a list that was begun stays while something else is saved, and one that was added leaves its field."""
    worker.tell("user_enrolled", "vera", timezone=where_it_is(12), name="Vera")
    with visit(browser, worker) as one:
        open_settings(one, worker, "vera")
        word = one.page.get_by_label("Add to priority keywords")
        word.fill("half typed")
        one.page.get_by_label("Pause before a conversation is looked at, in seconds").fill("200")
        one.page.keyboard.press("Enter")
        expect(one.page.get_by_role("status").first).to_contain_text("Saved: A conversation is looked at after 200 seconds")
        expect(word).to_have_value("half typed")
        word.press("Enter")
        expect(one.page.get_by_role("button", name="Remove half typed")).to_be_visible()
        expect(word).to_have_value("")
        # Enter once more adds nothing, and takes nothing away.
        expect(word).to_be_focused()
        one.page.keyboard.type("next")
        one.page.keyboard.press("Enter")
        expect(one.page.get_by_role("button", name="Remove next")).to_be_visible()
        expect(word).to_be_focused()
        one.page.keyboard.press("Enter")
    assert changed(worker, "vera")["priority_keywords"][-2:] == ["half typed", "next"], changed(worker, "vera")


def asks_before_it_closes(page):
    return page.evaluate("!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))")


def not_now(route):
    """What a worker says that reads its log."""
    route.fulfill(status=503, json={"error": "the worker is still replaying its log; try again"}, headers={"Retry-After": "1"})


def while_it_starts(browser, worker):
    """A worker that answers and cannot yet is tried again, by a page that opens and by one that saves; which asks before it closes."""
    worker.tell("user_enrolled", "inga", timezone=where_it_is(12), name="Inga")
    with visit(browser, worker) as one:
        page = one.page
        one.expect_trouble("503", "Failed to load resource")
        page.route("**/v1/me", not_now)
        page.goto(f"{worker.base}/me#token={worker.person_token('inga')}")
        expect(page.get_by_text("This page goes on by itself")).to_be_visible()
        page.get_by_role("button", name="Try again").focus()
        page.wait_for_timeout(1500)
        expect(page.get_by_role("button", name="Try again")).to_be_focused()
        page.unroute("**/v1/me")
        expect(page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
        assert not asks_before_it_closes(page)
        page.route("**/preferences", not_now)
        quiet = page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True)
        quiet.click()
        status = page.get_by_role("status").first
        expect(status).to_contain_text("Not saved yet")
        assert asks_before_it_closes(page)
        page.unroute("**/preferences")
        expect(status).to_contain_text("Saved")
        assert not asks_before_it_closes(page)
        # The way back to the default is gone with what it led back from; whoever took it is beside where it was.
        back = page.get_by_role("button", name="Quiet hours: back to “on”")
        back.focus()
        page.keyboard.press("Enter")
        expect(back).to_have_count(0)
        expect(quiet).to_be_focused()
        # The script is what another version of the page differs in.
        page.route("**/assets/me.js", lambda route: route.fulfill(headers={"ETag": '"another"'}))
        one.context.set_offline(True)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(page.get_by_text("We cannot reach the server")).to_be_visible()
        one.context.set_offline(False)
        expect(page.get_by_text("There is a newer version of this page.")).to_be_visible()
    assert changed(worker, "inga") == {}


def held(page, pattern):
    """Holds what is asked from now on, and gives the list of it."""
    all_held = []
    page.route(pattern, lambda route: all_held.append(route))
    return all_held


def wait_for(page, all_held, count):
    while len(all_held) < count:
        page.wait_for_timeout(20)


def overtaken_pass(browser, worker):
    """What comes late of a pass that another one has taken the place of is not about who is there now; and a pass ends once."""
    for user in ["anja", "boris"]:
        worker.tell("user_enrolled", user, timezone=where_it_is(12), name=user.title())
    for late in [lambda route: route.continue_(), lambda route: route.fulfill(status=401, json={"error": "not valid here"})]:
        with visit(browser, worker) as one:
            one.expect_trouble("401")
            page = one.page
            asked = held(page, "**/v1/me")
            page.goto(f"{worker.base}/me#token={worker.person_token('anja')}")
            wait_for(page, asked, 1)
            page.evaluate("token => { location.hash = `token=${token}` }", worker.person_token("boris"))
            wait_for(page, asked, 2)
            asked[1].continue_()
            expect(page.locator(".title")).to_contain_text("Boris")
            with page.expect_response("**/v1/me"):
                late(asked[0])
            page.wait_for_timeout(500)
            expect(page.locator(".title")).to_contain_text("Boris")
            page.unroute("**/v1/me")
            page.reload()
            expect(page.locator(".title")).to_contain_text("Boris")
    with visit(browser, worker) as one:
        one.expect_trouble("401")
        open_settings(one, worker, "anja")
        page = one.page
        history = page.get_by_role("region", name="Recent notifications")
        expect(history).to_contain_text("There is nothing to show")
        listed, read = held(page, "**/history?*"), held(page, "**/settings")
        history.get_by_label("Since").select_option("30")
        page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True).click()
        wait_for(page, listed, 1)
        wait_for(page, read, 1)
        worker.ask("DELETE", "/v1/people/anja/tokens")
        read[0].continue_()
        expect(page.get_by_text("Your last change was not saved")).to_be_visible()
        with page.expect_response("**/history?*"):
            listed[0].continue_()
        page.wait_for_timeout(500)
        expect(page.get_by_text("Your last change was not saved")).to_be_visible()


def history_again(browser, worker):
    """A list that could not be loaded is loaded when it can be; a late answer draws over no later one; what could not be cleared is there."""
    worker.tell("user_enrolled", "hugo", timezone=where_it_is(12), name="Hugo")
    worker.tell("notice_requested", "hugo", kind="payment", title="Payment failed")
    with visit(browser, worker) as one:
        one.expect_trouble("503")
        page = one.page
        page.route("**/history?*", not_now)
        open_settings(one, worker, "hugo")
        history = page.get_by_role("region", name="Recent notifications")
        expect(history.get_by_role("alert")).to_contain_text("try again")
        page.unroute("**/history?*")
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(history.get_by_role("listitem").first).to_contain_text("Payment failed")
        expect(history.get_by_role("alert")).to_have_count(0)
        slow = held(page, "**/history?days=90")
        history.get_by_label("Since").select_option("90")
        wait_for(page, slow, 1)
        history.get_by_label("Which").select_option("delivered")
        expect(history).to_contain_text("Nothing of that kind in this time.")
        with page.expect_response("**/history?days=7&*"):
            history.get_by_label("Since").select_option("7")
        page.wait_for_timeout(100)
        with page.expect_response("**/history?days=90"):
            slow[0].continue_()
        page.wait_for_timeout(500)
        # At this moment: a while later it would be asked for anew by itself.
        assert "Nothing of that kind in this time." in history.inner_text()
        history.get_by_label("Which").select_option("")
        expect(history.get_by_role("listitem").first).to_contain_text("Payment failed")
        page.route("**/history/clear", not_now)
        clear = history.get_by_role("button", name="Clear the history…")
        clear.click()
        page.get_by_role("dialog").get_by_role("button", name="Clear").click()
        expect(history.get_by_role("alert")).to_contain_text("try again")
        expect(history.get_by_role("listitem").first).to_contain_text("Payment failed")
        expect(clear).to_be_focused()
        one.check("a history that was not cleared")
        page.unroute("**/history/clear")
        clear.click()
        page.get_by_role("dialog").get_by_role("button", name="Clear").click()
        expect(history).to_contain_text("There is nothing to show for this time.")
        expect(history.get_by_role("heading")).to_be_focused()


def code_elsewhere(browser, worker):
    """Whoever does something else while a code is waited for is not led away from it; and one that was entered elsewhere is asked for no more."""
    worker.tell("user_enrolled", "paula", timezone=where_it_is(12), name="Paula")
    with visit(browser, worker) as one:
        page = one.page
        open_settings(one, worker, "paula")

        def as_if_sent(route):
            answer = route.fetch()
            route.fulfill(response=answer, json={name: value for name, value in answer.json().items() if name != "warnings"})

        page.route("**/people/paula/phone", as_if_sent)
        page.get_by_role("button", name="Add phone number").click()
        number = page.get_by_label("Phone number, with the country’s code")
        expect(number).to_be_focused()
        number.fill("+1 415 555 0123")
        page.get_by_role("button", name="Send the code").click()
        code = page.get_by_label("Code of 6 digits")
        expect(code).to_be_focused()
        quiet = page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True)
        quiet.focus()
        page.keyboard.press("Space")
        expect(page.get_by_role("status").first).to_contain_text("Saved")
        page.wait_for_timeout(300)
        expect(quiet).to_be_focused()
        expect(code).to_be_visible()
        # What another device changed is drawn while the code is waited for, and the focus stays.
        code.focus()
        worker.ask("PATCH", "/v1/people/paula/preferences", {"quiet_hours": {"enabled": True}})
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(quiet).to_be_checked()
        expect(code).to_be_focused()

        def as_if_verified(route):
            answer = route.fetch()
            body = answer.json()
            for section in body["sections"]:
                if section.get("phone"):
                    section["phone"] |= {"asked": None, "number": "+1 ••• •• 23", "verified": True}
            route.fulfill(response=answer, json=body)

        page.route("**/people/paula/settings", as_if_verified)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(page.get_by_text("Verified", exact=True)).to_be_visible()
        expect(code).to_have_count(0)


# Each is a call of a script of the pages, and what it comes to.
PURE = [
    # A partition that may have more behind its oldest keeps back what is older than that.
    ("console/log.js", "newestOfAll([{partition: 0, seq: 8, at: '1'}, {partition: 0, seq: 9, at: '5'}, {partition: 1, seq: 3, at: '3'},"
     " {partition: 1, seq: 4, at: '4'}], [10, 5], 2, 50)",
     {"events": [{"partition": 0, "seq": 9, "at": "5"}, {"partition": 1, "seq": 4, "at": "4"}, {"partition": 1, "seq": 3, "at": "3"}], "older": "9.3"}),
    # Of another day, of the second before, of a clock that is ahead.
    ("console/live.js", "placeOf('{\"seq\":1,\"at\":\"2026-01-01T00:00:00.000Z\"}', Date.parse('2026-01-02T00:00:00Z') / 1000) >= 0", False),
    ("console/live.js", "placeOf('{\"seq\":1,\"at\":\"2026-01-01T00:00:00.999Z\"}', Date.parse('2026-01-01T00:00:01Z') / 1000)", 58),
    ("console/live.js", "placeOf('{\"seq\":1,\"at\":\"2026-01-01T00:00:09.000Z\"}', Date.parse('2026-01-01T00:00:01Z') / 1000)", 59),
    ("console/live.js", "placeOf('{\"seq\":1}', 5) >= 0", False),
    ("common/changes.js", "moved(['a', 'b'], ['a', 'c'], ['a', 'b', 'd'])", ["a", "d", "c"]),
    ("common/changes.js", "moved(['a'], ['a', 'b'], [])", ["b"]),
    ("common/changes.js", "moved(null, ['a'], ['b'])", ["a"]),
    ("common/changes.js", "moved({mon: [1], tue: [2]}, {mon: [1], tue: [3]}, {mon: [4], tue: [2]})", {"mon": [4], "tue": [3]}),
    ("common/changes.js", "moved('08:00', '09:00', '10:00')", "09:00"),
    # A change that somebody else has set to something else since is not there to be taken back; of a schedule, its days count.
    *[("common/changes.js", f"isStillMade({{q: {{end: '07:15'}}}}, {{path: ['q', 'end']}}, {{preferences: {{q: {{end: '08:00'}}}}}},"
       f" {{sections: [{{fields: [{{path: ['q', 'end'], value: '{there}'}}]}}]}})", there == "07:15") for there in ("07:15", "06:30")],
    *[("common/changes.js", "isStillMade({week: {mon: [1], tue: [2]}}, {path: ['week']}, {preferences: {week: {mon: [1], tue: [3]}}},"
       f" {{sections: [{{fields: [{{path: ['week'], value: {there}}}]}}]}})", wanted)
      for there, wanted in [("{mon: [9], tue: [2]}", True), ("{mon: [1], tue: [9]}", False), ("null", False)]],
    ("common/changes.js", "isStillMade({q: null}, {path: ['q']}, {preferences: {}}, {changed: {q: 1}, sections: []})", False),
    # What was refused is found by the worker's words; the last where they name nothing.
    ("common/changes.js", "refusedOf([[{}, {path: ['quiet_hours', 'start']}], [{}, {path: ['timezone']}]], 'Patch.quiet_hours: no')[1].path",
     ["quiet_hours", "start"]),
    ("common/changes.js", "refusedOf([[{}, {path: ['quiet_hours', 'start']}], [{}, {path: ['timezone']}]], 'It is too long.')[1].path", ["timezone"]),
    ("common/week.js", "moreHours([])", ["09:00", "17:00"]),
    ("common/week.js", "moreHours([['09:00', '17:00'], ['18:00', '20:00']])", ["21:00", "23:00"]),
    ("common/week.js", "moreHours([['06:00', '23:50']])", ["04:00", "06:00"]),
    ("common/week.js", "moreHours([['00:00', '23:59']])", None),
    ("me/reasons.js", "failureTold({channel: 'push', status: 'failed', means: 'address_dead'})",
     "push token invalid: the app on your device has to be opened once more"),
    ("me/reasons.js", "failureTold({channel: 'push', status: 'failed', means: 'network'})", "network error on the way"),
    ("me/reasons.js", "failureTold({channel: 'email', status: 'failed', means: 'address_dead'})", "your address does not take mails"),
    ("me/reasons.js", "failureTold({channel: 'sms', status: 'failed', means: 'too_late'})", "it could not be sent in time"),
    # What is the operator's is not explained to the person, and they are sent nowhere to mend it.
    ("me/reasons.js", "failureTold({channel: 'push', status: 'failed', reason: 'spool could not write: Permission denied', means: null})",
     "it could not be delivered"),
    ("me/reasons.js", "placeOf({status: 'failed', outcomes: [{channel: 'email', status: 'failed', reason: 'webhook http://a answered 550', means: null}]})",
     None),
    ("me/reasons.js", "placeOf({status: 'failed', outcomes: [{channel: 'sms', status: 'failed', reason: 'twilio answered 400 21610', means: 'stopped'}]})",
     {"path": "channels/sms", "section": "channels"}),
    ("me/test.js", "endOf({status: 'queued', outcomes: []})", None),
    ("me/test.js", "endOf({status: 'failed', outcomes: [{channel: 'push', status: 'failed', means: null}]})",
     {"text": "The test failed: by push: it could not be delivered.", "tone": "bad"}),
    ("common/changes.js", "refusalTold('patch.schedule: a schedule needs at least one slot; write one such as {\"mon\":[[\"09:00\",\"17:00\"]]}, or null', null)",
     "Leave hours on one day at least, or choose “No schedule”."),
    ("common/changes.js", "refusalTold('data.patch.timezone: \"GMT+2\" is not a time zone of this machine\\'s tz database 2026a; did you mean Etc/GMT+2?', null)",
     "“GMT+2” is not a time zone that is known here; did you mean Etc/GMT+2?"),
    ("common/words.js", "inWords('anna/a/#1 failed on push: too_late, was sent on email')",
     "anna/a/#1 failed on push: it could not be sent in time, was sent on email"),
    ("common/time.js", "timesIn('held until sun 2020-11-29 09:00 (Pacific/Honolulu; 2020-11-29T19:00:00.000Z): cooldown', {zone: 'UTC', theirs: true})",
     "held until Sun 29 Nov 2020, 19:00: cooldown"),
    ("common/time.js", "instant('2026-07-01T09:00', 'Europe/Paris')", "2026-07-01T07:00:00.000Z"),
    ("common/time.js", "instant('2026-09-27T03:00', 'Pacific/Chatham')", "2026-09-26T14:00:00.000Z"),
    ("common/time.js", "instant('2027-03-28T02:30', 'Europe/Paris')", "2027-03-28T01:00:00.000Z"),
    ("common/time.js", "instant('2026-10-04T02:10', 'Australia/Lord_Howe')", "2026-10-03T15:30:00.000Z"),
    ("common/time.js", "instant('2027-03-14T02:30', 'America/New_York')", "2027-03-14T07:00:00.000Z"),
    ("common/time.js", "instant('2027-04-04T01:45', 'Australia/Lord_Howe')", "2027-04-03T14:45:00.000Z"),
    ("common/time.js", "instant('2026-11-01T01:30', 'America/New_York')", "2026-11-01T05:30:00.000Z"),
    ("common/time.js", "instant('2011-12-30T12:00', 'Pacific/Apia')", "2011-12-30T10:00:00.000Z"),
    ("common/time.js", "timesIn('(hold until 2020-11-29T19:00:00Z)', {zone: 'UTC', theirs: true})", "(hold until Sun 29 Nov 2020, 19:00)"),
    ("common/text.js", "spelt('a\\u200e\\u00ad\\u200b\\u2062\\u180e\\u3164\\ufff9\\u{e0041}b')",
     "a\\u{200e}\\u{ad}\\u{200b}\\u{2062}\\u{180e}\\u{3164}\\u{fff9}\\u{e0041}b"),
    # As notices are cleaned (`Plain.lines`): ordinary marks of Hebrew and Arabic stay.
    ("common/text.js", "cleaned('a\\u202eb\\u2066c\\u2069\\u0000\\u0085d\\r\\ne\\u2029f\\ufeff\\u200f')", "abc d \ne f\u200f"),
    ("common/again.js", "refusedTold('data.job: \"a/b \\\\\"c/#3\" could be sent until 2020-03-02T10:00:00.000Z, which has passed', 'Europe/Paris')",
     "It could be sent until Mon 2 Mar 2020, 11:00, which has passed."),
    ("common/again.js", "refusedTold('user: is nobody known here', 'UTC')", "Is nobody known here."),
    ("common/again.js", "whyNotAgain({retry: 'possible', not_after: '2999-01-01T00:00:00Z'}, 'UTC')", None),
    ("common/again.js", "whyNotAgain({retry: 'possible', not_after: null}, 'UTC')", None),
    # The page has been open since before its time passed.
    ("common/again.js", "whyNotAgain({retry: 'possible', not_after: '2020-03-02T10:00:00Z'}, 'UTC')",
     "It cannot be sent again: its time passed Mon 2 Mar 2020, 10:00."),
    ("common/text.js", "spelt('a\\u200db')", "a\\u{200d}b"),
    ("common/words.js", "subjectTold('conversation:c1')", "conversation “c1”"),
    ("common/words.js", "subjectTold('goal:run', 'Run 5 km')", "Run 5 km"),
    ("common/words.js", "subjectTold('lea')", "“lea”"),
    ("common/text.js", "spelt('\\u{1f469}\\u200d\\u{1f680}')", "\U0001f469\u200d\U0001f680"),
    ("common/text.js", "spelt('\\u0645\\u06cc\\u200c\\u062e')", "\u0645\u06cc\u200c\u062e"),
]


def pure(browser, worker):
    """What the pages work out, by itself."""
    with visit(browser, worker, csp=False) as one:
        # On a page of no script of its own, which has the same modules in it.
        one.context.route("**/blank", lambda route: route.fulfill(content_type="text/html", body="<link rel=icon href='data:,'>"))
        one.page.goto(worker.base + "/blank")
        for script, call, wanted in PURE:
            name = call.partition("(")[0]
            found = one.page.evaluate(f"async () => {{ const {{ {name} }} = await import('/assets/{script}'); return {call}; }}")
            assert found == wanted, f"{call}: {found!r}, not {wanted!r}"
        # What the worker says of a zone's clocks counts, and not what this browser's tables say (T1).
        hour, back = one.page.evaluate("""async () => {
            const { heardClock, clock, instant } = await import('/assets/common/time.js');
            const at = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
            heardClock({ timezone: 'Africa/Casablanca', clock: [{ from: '2000-01-01T00:00:00Z', seconds: 5 * 3600 }] });
            const there = new Date(Date.parse(at) + 5 * 3_600_000).toISOString();
            return [clock(at, 'Africa/Casablanca') === there.slice(11, 16),
                    instant(there.slice(0, 16), 'Africa/Casablanca') === at];
        }""")
        assert hour and back, (hour, back)


LARGE_TEXT = ["--blink-settings=defaultFontSize=32"]
LARGE = {"large-text"}


def large_text(browser, worker):
    """Whoever has their text at twice the size, on a phone, sees every switch and every value (WCAG 1.4.4)."""
    worker.tell("user_enrolled", "luz", timezone=where_it_is(12), name="Luz")
    with visit(browser, worker, width=360) as one:
        open_settings(one, worker, "luz")
        page = one.page
        assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") >= 32
        beyond = page.evaluate("""() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('main *')]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => `${one.localName}.${one.className} ${one.textContent.slice(0, 40)}`)""")
        assert not beyond, f"the page scrolls sideways: {beyond[:12]}"
        narrow = page.evaluate("""() => [...document.querySelectorAll('.setting > :is(input, select)')]
            .filter((one) => one.getClientRects().length > 0)
            .map((one) => [one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.name, one.clientWidth, parseFloat(getComputedStyle(one).fontSize), one.matches('.switch')])
            .filter(([, width, size, isSwitch]) => width < size * (isSwitch ? 1.2 : 6))""")
        assert not narrow, narrow
        one.check("text of twice the size")


def removed(browser, worker):
    """Whoever removes something by keyboard stays where it was, and is never led to what does more than that."""
    worker.tell("user_enrolled", "rory", timezone=where_it_is(12), name="Rory")
    for device in ("one", "two"):
        worker.tell("device_registered", "rory", device=device, platform="ios", token=device.encode().hex() * 10 + "0000")
    worker.tell("preferences_changed", "rory", patch={"schedule": {"mon": [["09:00", "17:00"]], "sat": [["09:00", "17:00"]]}})
    with visit(browser, worker) as one:
        open_settings(one, worker, "rory")
        page = one.page
        page.get_by_role("button", name="Remove 09:00 to 17:00 on Saturday").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Remove 09:00 to 17:00 on Saturday")).to_have_count(0)
        dialog = page.get_by_role("dialog")
        expect(dialog.or_(page.get_by_role("button", name="Add hours on Saturday").and_(page.locator(":focus"))).first).to_be_visible()
        if dialog.count():
            dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_role("button", name="Add hours on Saturday")).to_be_focused()
        nothing = page.get_by_role("button", name="No schedule")
        nothing.focus()
        page.keyboard.press("Enter")
        expect(nothing).to_have_count(0)
        assert page.evaluate("document.activeElement !== document.body"), "the focus was lost"
        for device, then in (("one", page.get_by_role("button", name="Remove two")), ("two", page.get_by_role("heading", name="Channels"))):
            page.get_by_role("button", name=f"Remove {device}").focus()
            page.keyboard.press("Enter")
            expect(dialog).to_contain_text(f"Nothing rings on {device} any more")
            dialog.get_by_role("button", name="Cancel").click()
            expect(page.get_by_role("button", name=f"Remove {device}")).to_be_focused()
            page.keyboard.press("Enter")
            dialog.get_by_role("button", name="Remove").press("Enter")
            expect(page.get_by_role("button", name=f"Remove {device}")).to_have_count(0)
            expect(then).to_be_focused()
        # Whoever does not see a list change hears what came of it.
        page.get_by_label("Which").select_option("failed")
        expect(page.locator("#announcements")).to_have_text("Nothing of that kind in this time.")


SCENARIOS = {
    "large-text": large_text, "removed": removed,
    "two-devices": on_two_devices, "behind": behind_another_device, "marks": marks_of_direction, "zone": back_to_a_zone, "away": while_it_is_away, "no-pass": without_a_pass,
    "silence": warned_of_silence, "their-history": their_history, "more-hours": more_hours, "two-edits": two_edits,
    "begun-word": begun_word, "pure": pure, "two-presses": two_presses, "other-pass": other_pass,
    "untitled": untitled, "their-retries": their_retries, "starting": while_it_starts, "overtaken": overtaken_pass,
    "history-again": history_again, "code-elsewhere": code_elsewhere,
}

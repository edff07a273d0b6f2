"""What a person does, on their settings page."""

import datetime
import sys
import zoneinfo

from visit import expect, visit
from zones import where_it_is


def open_settings(one, worker, user):
    one.page.goto(f"{worker.base}/me#token={worker.person_token(user)}")
    expect(one.page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
    expect(one.page).to_have_url(f"{worker.base}/me")


def changes_with_preview(browser, worker):
    """A small change is saved at once and can be undone; one with consequences asks first; a preset shows all it does."""
    worker.tell("user_enrolled", "mia", timezone=where_it_is(12), name="Mia")
    with visit(browser, worker, width=360) as one:
        open_settings(one, worker, "mia")
        page = one.page
        assert "token" not in page.evaluate("location.href")
        quiet = page.get_by_role("region", name="Quiet hours")
        quiet.get_by_label("To", exact=True).fill("07:00")
        quiet.get_by_label("To", exact=True).blur()
        expect(page.get_by_role("status")).to_contain_text("Saved")
        assert changed(worker, "mia") == {"quiet_hours": {"end": "07:00"}}, changed(worker, "mia")
        page.get_by_role("button", name="Undo").click()
        expect(quiet.get_by_label("To", exact=True)).to_have_value("08:00")
        assert changed(worker, "mia") == {}, changed(worker, "mia")
        page.get_by_role("button", name="Minimal").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("heading")).to_have_text("Minimal notification settings")
        expect(dialog).to_contain_text("This will change:")
        assert dialog.get_by_role("listitem").count() > 3
        dialog.get_by_role("button", name="Leave it").click()
        assert changed(worker, "mia") == {}, changed(worker, "mia")
        page.get_by_role("button", name="Minimal").click()
        # Twice, as some people do everywhere: what lies beneath is not meant.
        box = dialog.get_by_role("button", name="Apply preset").bounding_box()
        page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, delay=40)
        expect(page.get_by_role("button", name="Minimal")).to_have_attribute("aria-pressed", "true")
        assert worker.ask("GET", "/v1/people/mia/state")["preset"] == "minimal"
        page.get_by_role("button", name="Back to the defaults…").click()
        dialog.get_by_role("button", name="Reset").click()
        expect(page.get_by_role("status")).to_contain_text("Notification settings updated")
        locked = page.get_by_role("region", name="What reaches you").get_by_label("Payment & financial", exact=True)
        expect(locked).to_be_disabled()
        expect(locked).to_be_checked()


def undo_by_keyboard(browser, worker):
    """What was saved is taken back from where one is, whenever one comes to it; and the focus is where it was changed."""
    worker.tell("user_enrolled", "otis", timezone=where_it_is(12), name="Otis")
    with visit(browser, worker) as one:
        page = one.page
        page.clock.install()
        open_settings(one, worker, "otis")
        quiet = page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True)
        status = page.get_by_role("status").first
        undo = page.get_by_role("button", name="Undo")
        quiet.focus()
        page.keyboard.press("Space")
        expect(status).to_contain_text("Saved")
        expect(quiet).to_be_focused()
        # Nobody has to be quick.
        page.clock.fast_forward(600_000)
        expect(undo).to_be_visible()
        assert undo.get_attribute("aria-keyshortcuts") == "Control+Z Meta+Z"
        one.check("undo")
        page.keyboard.press("Control+z")
        expect(status).to_contain_text("Taken back")
        expect(quiet).to_be_checked()
        expect(quiet).to_be_focused()
        assert changed(worker, "otis") == {}, changed(worker, "otis")
        # What only says how it went goes away, but not from under a pointer.
        status.hover()
        page.clock.fast_forward(20_000)
        expect(status).to_contain_text("Taken back")
        page.mouse.move(1, 1)
        page.clock.fast_forward(20_000)
        expect(status).to_be_empty()
        # Where text is typed, the browser takes back what was typed.
        page.keyboard.press("Space")
        expect(undo).to_be_visible()
        page.get_by_label("Time zone", exact=True).focus()
        page.keyboard.press("Control+z")
        expect(undo).to_be_visible()
        # With the button the focus comes back too, and closing it takes it to where one was.
        undo.focus()
        page.keyboard.press("Enter")
        expect(quiet).to_be_checked()
        expect(quiet).to_be_focused()
        page.keyboard.press("Space")
        status.get_by_role("button", name="Close").focus()
        page.keyboard.press("Enter")
        expect(status).to_be_empty()
        expect(quiet).to_be_focused()
        # One Tab on from what was changed there is a button for it, which shows when it is come to.
        page.keyboard.press("Space")
        expect(undo).to_be_visible()
        page.keyboard.press("Tab")
        near = page.get_by_role("button", name="Take it back")
        expect(near).to_be_focused()
        assert near.bounding_box()["height"] >= 24
        one.check("undo beside the setting")
        page.keyboard.press("Enter")
        expect(status).to_contain_text("Taken back")
        expect(near).to_have_count(0)
        expect(quiet).to_be_focused()
        expect(quiet).not_to_be_checked()
    assert changed(worker, "otis") == {"quiet_hours": {"enabled": False}}
    # A phone has no such keys.
    for touch in (True, False):
        with visit(browser, worker, width=375, touch=touch) as one:
            open_settings(one, worker, "otis")
            one.page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True).click()
            undo = one.page.get_by_role("button", name="Undo")
            expect(undo).to_be_visible()
            assert ("Z" in undo.inner_text()) != touch, undo.inner_text()
            undo.click()
            expect(one.page.get_by_role("status").first).to_contain_text("Taken back")


def typed_by_keyboard(browser, worker):
    """A time that is typed digit by digit is saved once it is there, and as it was typed; the page does not stand still meanwhile."""
    worker.tell("user_enrolled", "uma", timezone=where_it_is(12), name="Uma")
    with visit(browser, worker) as one:
        open_settings(one, worker, "uma")
        page = one.page
        quiet = page.get_by_role("region", name="Quiet hours")
        quiet.get_by_label("From", exact=True).focus()
        for typed in ["09", "30", "PM"]:
            page.keyboard.type(typed)
            # What another device does is seen on this one, and not in the field that is being typed in.
            worker.tell("notice_requested", "uma", kind="urgent", title=f"Urgent {typed}")
            page.evaluate("window.dispatchEvent(new Event('focus'))")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("Saved: Quiet hours start at 21:30")
        expect(quiet.get_by_label("From", exact=True)).to_have_value("21:30")
        facts = [one for one in worker.lines("/v1/events?user=uma") if one["type"] == "preferences_changed"]
        assert [fact["data"]["patch"] for fact in facts] == [{"quiet_hours": {"start": "21:30"}}], facts
        page.keyboard.press("Tab")
        page.get_by_role("heading", name="Notifications", level=1).click()
        page.evaluate("document.activeElement.blur(); window.dispatchEvent(new Event('focus'))")
        expect(page.get_by_role("region", name="Recent notifications")).to_contain_text("Urgent PM")


def in_their_time(browser, worker):
    """Times are those of the person's clock, wherever their browser is; a refused setting is told by its label."""
    ahead = where_it_is(12)
    worker.tell("user_enrolled", "lea", timezone=ahead, name="Lea")
    worker.tell("notice_requested", "lea", kind="payment", title="Payment failed")
    with visit(browser, worker, width=360, zone="Pacific/Marquesas") as one:
        one.expect_trouble("400")
        # What an operator chose in the console does not hold here.
        one.page.goto(f"{worker.base}/me")
        one.page.evaluate("localStorage.setItem('belfry.times', 'utc')")
        open_settings(one, worker, "lea")
        page = one.page
        shown = page.get_by_role("region", name="Recent notifications").locator("time").first
        at = datetime.datetime.fromisoformat(shown.get_attribute("datetime"))
        there = at.astimezone(zoneinfo.ZoneInfo(ahead)).strftime("%H:%M")
        expect(shown).to_contain_text(there)
        quiet = page.get_by_role("region", name="Quiet hours")
        quiet.get_by_label("From", exact=True).fill("08:00")
        quiet.get_by_label("From", exact=True).blur()
        trouble = page.get_by_role("status")
        expect(trouble).to_contain_text("“From” under “Quiet hours”: quiet hours that start and end at 08:00 are refused")
        expect(trouble).to_contain_text("switch “Quiet hours” off")
        expect(trouble).not_to_contain_text("quiet_hours")
        # What was typed stays with its mark, also over another change; so does a zone that is none.
        zone = page.locator('input[data-path="timezone"]')
        zone.fill("GMT+2")
        zone.press("Enter")
        for field, typed, saved in [(zone, "GMT+2", ahead), (quiet.get_by_label("From", exact=True), "08:00", "22:00")]:
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(field).to_have_value(typed)
            expect(page.locator(".refusal").filter(has_text=f"was not saved and is still {saved}.")).to_be_visible()
        expect(page.locator(".refusal").filter(has_text="“GMT+2” is not a time zone that is known here")).to_be_visible()
        one.check("refused")
        # Another value that is saved has no refusal, also while one is still in its field.
        start = quiet.get_by_label("From", exact=True)
        start.fill("21:00")
        start.press("Tab")
        expect(trouble).to_contain_text("Saved")
        expect(start).to_be_focused()
        expect(page.locator(".refusal").filter(has_text="22:00")).to_have_count(0)
        assert start.get_attribute("aria-invalid") is None and start.get_attribute("aria-errormessage") is None
        start.blur()
        expect(start).not_to_have_attribute("aria-invalid", "true")
        expect(zone).to_have_value("GMT+2")
        # Nor is it told once more to whoever hears the page.
        expect(page.locator("#announcements")).to_have_text("")
        starts = page.get_by_role("group", name="Presets").get_by_role("button").evaluate_all(
            "(all) => all.flatMap((one) => [...one.children].map((text) => text.getBoundingClientRect().left - one.getBoundingClientRect().left))")
        assert len(set(round(start) for start in starts)) == 1, starts
        # It goes when everything is put back, and when another value is saved there.
        page.get_by_role("button", name="Back to the defaults…").click()
        page.get_by_role("dialog").get_by_role("button", name="Reset").click()
        expect(trouble).to_contain_text("Notification settings updated")
        expect(zone).to_have_value(ahead)
        expect(zone).not_to_have_attribute("aria-invalid", "true")
        zone.fill("GMT+2")
        zone.press("Enter")
        expect(zone).to_have_attribute("aria-invalid", "true")
        zone.blur()
        worker.ask("PATCH", "/v1/people/lea/preferences", {"timezone": "Europe/Paris"})
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(zone).to_have_value("Europe/Paris")
        expect(zone).not_to_have_attribute("aria-invalid", "true")


def numbers_out_of_range(browser, worker):
    """A number that cannot be saved is not shown as if it were: the field is marked, and a sentence that stays names it."""
    worker.tell("user_enrolled", "ines", timezone=where_it_is(12))
    worker.tell("consent_given", "ines", by="user")
    with visit(browser, worker, width=360) as one:
        open_settings(one, worker, "ines")
        page = one.page
        field = page.get_by_role("spinbutton").first
        name = page.locator("label", has=page.locator("bdi")).and_(page.locator(f"[for='{field.get_attribute('id')}']")).inner_text()
        saved = field.input_value()
        for wrong in ["100000", ""]:
            field.fill(wrong)
            field.blur()
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(page.get_by_role("status")).to_contain_text(f"“{name}” was not saved and is still {saved}: write a whole number from")
        field.fill("90")
        field.blur()
        expect(page.get_by_role("status")).to_contain_text("Saved")
        expect(page.get_by_role("spinbutton").first).not_to_have_attribute("aria-invalid", "true")
        # What was saved before can be taken back all the same.
        field.fill("100000")
        field.blur()
        expect(page.get_by_role("status")).to_contain_text("was not saved")
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
    assert worker.ask("GET", "/v1/people/ines/state")["changed"] == {"pause_threshold_seconds": 90}


def changed(worker, user):
    return worker.ask("GET", f"/v1/people/{user}/state")["changed"]


def verifies_a_phone(browser, worker):
    """A number that is none, a wrong code with what is left, the wait before a new code, and the right one."""
    worker.tell("user_enrolled", "ida", timezone=where_it_is(12), name="Ida")
    with visit(browser, worker, width=360, scheme="dark") as one:
        one.expect_trouble("400")
        page = one.page
        # The phone's clock is wrong by more than a code is good for: what counts is the worker's.
        page.clock.install(time=datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=11))
        open_settings(one, worker, "ida")
        page.get_by_role("button", name="Add phone number").click()
        number = page.get_by_label("Phone number, with the country’s code")
        expect(number).to_be_focused()
        number.fill("123")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("This phone number format is invalid")
        number.fill("+1 415 555 0123")
        page.keyboard.press("Enter")
        code = page.get_by_label("Code of 6 digits")
        expect(code).to_be_focused()
        expect(page.get_by_role("button", name="Resend in")).to_be_disabled()
        expect(page.get_by_text("It is good until")).to_be_visible()
        print("code?", flush=True)
        sent = sys.stdin.readline().strip()
        code.press_sequentially("000000" if sent != "000000" else "111111")
        expect(page.get_by_role("alert")).to_contain_text("4 attempts left")
        one.check("verification")
        code.press_sequentially(sent)
        expect(page.get_by_text("Verified", exact=True)).to_be_visible()
        expect(page.get_by_text("0123")).to_have_count(0)


def token_ends(browser, worker):
    """A pass that is revoked is told of in plain words, and another in the address goes on."""
    worker.tell("user_enrolled", "eva", timezone=where_it_is(12), name="Eva")
    with visit(browser, worker) as one:
        one.expect_trouble("401")
        open_settings(one, worker, "eva")
        worker.ask("DELETE", "/v1/people/eva/tokens")
        one.page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True).click()
        expect(one.page.get_by_role("heading", name="pass has ended")).to_be_visible()
        token = worker.person_token("eva")
        one.page.evaluate("(token) => { location.hash = `token=${token}`; }", token)
        expect(one.page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
        one.page.reload()
        expect(one.page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()


def in_a_frame(browser, worker):
    """The example app: its page holds the settings of whoever is signed in, and brings another pass when one ends."""
    app = sys.argv[2]
    worker.tell("user_enrolled", "gina", timezone=where_it_is(12), name="Gina")
    with visit(browser, worker) as one:
        one.allowed.append(app + "/")
        one.expect_trouble("401")
        one.page.goto(app + "/")
        frame = one.page.frame_locator("iframe")
        expect(frame.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
        quiet = frame.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True)
        quiet.click()
        expect(frame.get_by_role("status")).to_contain_text("Saved")
        worker.ask("DELETE", "/v1/people/gina/tokens")
        quiet.click()
        expect(quiet).not_to_be_checked()
        expect(frame.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
    assert changed(worker, "gina") == {"quiet_hours": {"enabled": False}}


def tries_the_analysis(browser, worker):
    """What the analyser would say of the latest conversation is told beside the button, and nothing is recorded."""
    for user in ("noor", "omar"):
        worker.tell("user_enrolled", user, timezone=where_it_is(12), name=user.capitalize())
        worker.tell("consent_given", user, by="user")
    worker.tell("message_received", "noor", conversation="lunch", message="m1", sender="priya", text="when do you come?")
    last = worker.ask("GET", "/v1/now")["last_seq"]
    with visit(browser, worker, width=360) as one:
        open_settings(one, worker, "noor")
        smart = one.page.get_by_role("region", name="Smart notifications")
        smart.get_by_role("button", name="Test smart notification").click()
        expect(smart.get_by_role("status")).to_contain_text("You would be notified.")
        for text in ("lunch", "High", "Priya waits for an answer", "Priya asks when you come", "nothing was sent"):
            expect(smart.get_by_role("status")).to_contain_text(text)
        one.check("analysis")
    with visit(browser, worker, width=360) as one:
        one.expect_trouble("404")
        open_settings(one, worker, "omar")
        smart = one.page.get_by_role("region", name="Smart notifications")
        smart.get_by_role("button", name="Test smart notification").click()
        expect(smart).to_contain_text("No recent conversations to test.")
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/people/noor/preferences")
        one.page.get_by_role("button", name="Test smart notification").click()
        expect(one.page.get_by_text("Priya waits for an answer")).to_be_visible()
    # The pages' passes are in no log; what was tried is neither.
    assert worker.ask("GET", "/v1/now")["last_seq"] == last


SCENARIOS = {
    "numbers": numbers_out_of_range, "their-time": in_their_time, "analysis": tries_the_analysis, "frame": in_a_frame, "settings": changes_with_preview, "typed": typed_by_keyboard, "undo": undo_by_keyboard, "phone": verifies_a_phone, "ended": token_ends}

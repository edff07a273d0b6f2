"""What operators do, in the console."""

import json
import os
import re

from visit import Screens, expect, visit
from zones import where_it_is


def why_nothing_came(browser, worker):
    """By keyboard alone: signs in, finds the person, and reads why the notice did not come, down to the rule."""
    worker.tell("user_enrolled", "nora", timezone=where_it_is(22), name="Nora")
    worker.tell("device_registered", "nora", device="phone", platform="ios", token="a" * 64)
    worker.tell("notice_requested", "nora", kind="alert", title="Rain")
    with visit(browser, worker) as one:
        page = one.page
        page.goto(worker.base + "/")
        one.expect_trouble("401")
        expect(page.get_by_label("Token")).to_be_focused()
        page.keyboard.type("not-the-token")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("not valid")
        expect(page.get_by_label("Token")).to_be_focused()
        page.keyboard.type(worker.token)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Now", level=1)).to_be_focused()
        page.keyboard.press("/")
        expect(page.get_by_label("Find a person")).to_be_focused()
        page.keyboard.type("nor")
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="nora")).to_be_visible()
        tab_to(page, "nora")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Nora", level=1)).to_be_focused()
        expect(page.locator("day-strip svg")).to_be_visible()
        expect(page.get_by_role("region", name="What happened on this day")).to_contain_text("Quiet hours")
        tab_to(page, "Why, why not")
        page.keyboard.press("Enter")
        expect(page.get_by_role("article").filter(has_text="Alerts").locator(".verdict")).to_contain_text("quiet hours")
        tab_to(page, "Only “Alerts”")
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{worker.base}/people/nora/why?kind=alert")
        rules = page.get_by_role("region", name="Every rule, in order")
        expect(rules.locator("tr.objects")).to_contain_text("P8")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("search")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("l")
        expect(page.get_by_role("heading", name="Log", level=1)).to_be_focused()
        page.go_back()
        expect(page.locator("tr.objects")).to_contain_text("P8")


def tab_to(page, name):
    """Presses Tab until the link or button of this name has the focus, which must be seen."""
    for _ in range(120):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => {
            const node = document.activeElement, box = node.getBoundingClientRect();
            return {text: (node.getAttribute("aria-label") ?? node.textContent).trim(), outline: getComputedStyle(node).outlineStyle,
                    isSeen: box.bottom > 0 && box.top < innerHeight};
        }""")
        if found["text"] == name:
            assert found["outline"] != "none", f"the focus on {name} is not shown"
            assert found["isSeen"], f"{name} has the focus and is out of sight"
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def live_notice(browser, worker):
    """A notice is raised while somebody looks, and they see it handed out and taken; paused, they see nothing new."""
    worker.tell("user_enrolled", "lena", timezone=where_it_is(12), name="Lena")
    worker.tell("device_registered", "lena", device="phone", platform="ios", token="b" * 64)
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/now?show=all")
        expect(one.page.locator(".live-state")).to_have_text("Live")
        worker.tell("notice_requested", "lena", kind="urgent", title="The door is open")
        feed = one.page.get_by_role("region", name="Events as they happen, newest first")
        for words in ["asked for", "out by push", "Taken by push"]:
            expect(feed.get_by_role("row").filter(has_text="lena").filter(has_text=words).first).to_be_visible()
        one.page.keyboard.press("p")
        expect(one.page.locator(".live-state")).to_have_text("Paused")
        before = feed.inner_text()
        worker.tell("notice_requested", "lena", kind="urgent", title="Still open")
        worker.ask("GET", "/v1/now")
        assert feed.inner_text() == before, "a paused view moved"
        one.page.keyboard.press("p")
        expect(feed.get_by_role("row").filter(has_text="lena").filter(has_text="Taken by push")).to_have_count(2)
        feed.get_by_role("link", name="lena").first.click()
        one.settle()
        one.page.get_by_role("region", name="What happened on this day").locator('a[href*="notice="]:visible').first.click()
        timeline = one.page.locator("ol.timeline")
        for word in ["Raised", "Handed out", "Sent"]:
            expect(timeline).to_contain_text(word)
        expect(timeline.locator("blockquote")).to_have_count(0)
        timeline.get_by_role("button", name="Show the text").first.click()
        expect(timeline.locator("blockquote")).to_contain_text("open")


def what_a_day_says(browser, worker):
    """Until when it is quiet, over midnight; what counts towards the cap; and on the agenda whose clock a time is by."""
    zone = where_it_is(22)
    worker.tell("user_enrolled", "olga", timezone=zone, name="Olga")
    worker.tell("device_registered", "olga", device="phone", platform="ios", token="d" * 64)
    worker.tell("notice_requested", "olga", kind="urgent", title="Water in the cellar")
    with visit(browser, worker, width=360, zone="Pacific/Marquesas") as one:
        one.sign_in()
        one.go("/people/olga")
        page = one.page
        day = page.get_by_role("region").filter(has=page.locator("day-strip"))
        expect(day).to_contain_text("1 notice handed out so far, 0 of 3 counted towards the day’s limit.")
        expect(day).to_contain_text("Quiet until 08:00.")
        expect(page.locator(".facts")).to_contain_text("1 notice handed out today, 0 of 3 counted towards the day’s limit")
        worker.tell("notice_requested", "olga", kind="alert", title="Rain")
        page.reload()
        waits = page.get_by_role("link", name="1 waits")
        assert waits.bounding_box()["height"] >= 24, waits.bounding_box()
        one.go("/agenda")
        whom = page.get_by_role("region", name="Whom").get_by_role("row").filter(has_text="olga").first
        expect(whom).to_contain_text(zone)
        expect(whom).to_contain_text("08:00")
        one.go("/people/olga/history?days=1")
        # A kind has one name in every view.
        expect(page.get_by_role("region", name="History")).to_contain_text("Alerts")
        one.expect_trouble("404", "400")
        # What is asked for wrongly is told beside the fields, which stay.
        one.go("/numbers?from=2026-03-05&to=2026-03-01")
        expect(page.get_by_text("“From” is after “To”")).to_be_visible()
        expect(page.get_by_label("From", exact=True)).to_have_value("2026-03-05")
        one.go("/log?type=job")
        expect(page.get_by_label("Type")).to_have_value("job")
        page.get_by_label("Event’s number").fill("abc")
        page.get_by_role("button", name="Search").click()
        expect(page.get_by_text("has digits alone")).to_be_visible()
        # What is asked for wrongly stays in its field, which is marked and says what it wants.
        for address, label, typed, told in [
                ("why?at=garbage", "At", "garbage", "the number of an event"),
                ("why?kind=frob", "Would a notice of this kind come?", "frob", "no such kind"),
                ("why?kind=alert&subject=a%20b", "About", "a b", "such as goal:g1"),
                ("why?kind=alert&priority=loud", "Priority", "loud", "no such priority")]:
            one.go(f"/people/olga/{address}")
            field = page.get_by_label(label, exact=True)
            expect(field).to_have_value(typed)
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(field).to_have_accessible_description(re.compile(told))
        one.check("what is asked for wrongly")
        one.go("/people/olga?notice=frob")
        expect(page.get_by_role("region", name="The notice")).to_contain_text("The log holds no notice")
        expect(page.get_by_role("region", name="The notice")).not_to_contain_text("belfry log")
        one.go("/people/olga/why?at=garbage")
        page.get_by_label("At", exact=True).fill("3")
        page.get_by_role("button", name="Ask").click()
        expect(page).to_have_url(f"{worker.base}/people/olga/why?at=3")
        expect(page.get_by_role("region", name="The answer")).to_be_visible()
        for address in ["/people/olga?date=2026-13-45", "/people/olga/why?at=garbage"]:
            one.go(address)
            expect(page.get_by_role("navigation", name="Olga").or_(page.get_by_role("heading", name="Olga", level=1)).first).to_be_visible()
            expect(page.get_by_text("Invalid time value")).to_have_count(0)
        one.go("/nonsense/path")
        expect(page.get_by_role("heading", name="Nothing is here")).to_be_visible()
        page.get_by_role("link", name="Agenda").click()
        page.get_by_label("Times").select_option("utc")
        expect(whom).to_contain_text("UTC")
        expect(whom).not_to_contain_text(zone)
        # Rules are about the person's hours: whatever was chosen, their times stand in one zone, which is named.
        one.go("/people/olga/why?kind=alert")
        expect(page.get_by_text(f"All times on this page are the person’s, in {zone}.")).to_be_visible()
        expect(page.locator(".verdict")).to_contain_text("08:00")
        rule = page.get_by_role("region", name="Every rule, in order").locator("tr.objects")
        expect(rule).to_contain_text(re.compile(r"in quiet hours .*, until .*08:00"))
        expect(rule.locator("td").last).to_contain_text("08:00")
        # A run that sends nothing says why, whether it was tried or not.
        page.get_by_role("button", name="Run now…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Kind", exact=True).select_option("check_in")
        dialog.get_by_label("Only try").uncheck()
        dialog.get_by_role("button", name="Run", exact=True).click()
        expect(dialog).to_contain_text("0 jobs handed out")
        expect(dialog).to_contain_text("to wait, ")


def another_policy(browser, worker):
    """A policy is checked, held against the log, and adopted from there."""
    worker.tell("user_enrolled", "otto", timezone=where_it_is(12))
    worker.tell("device_registered", "otto", device="phone", platform="ios", token="c" * 64)
    for number in range(3):
        worker.tell("notice_requested", "otto", kind="alert", title=f"Alert {number}")
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/policy")
        page = one.page
        document = page.get_by_label("Document", exact=True)
        changed = json.loads(document.input_value())
        document.fill("{")
        expect(page.get_by_text("This is no JSON")).to_be_visible()
        expect(page.get_by_role("button", name="Hold against the log")).to_be_disabled()
        changed |= {"name": "calmer", "daily_cap": 1}
        document.fill(json.dumps(changed))
        expect(page.get_by_role("button", name="Hold against the log")).to_be_enabled()
        page.get_by_label("Over").select_option(label="The whole log")
        page.get_by_role("button", name="Hold against the log").click()
        expect(page.get_by_text("jobs that would come")).to_be_visible()
        expect(page.get_by_role("region", name="By kind")).to_contain_text("Alerts")
        one.check("what-if")
        expect(page.get_by_text("would be refused")).to_have_count(0)
        # It has an address: read anew, it is still there, and can be adopted from there.
        page.reload()
        expect(page.get_by_text("jobs that would come")).to_be_visible()
        # What came of a document that is no longer the one in the box is marked, and not adopted from there.
        adopt = page.get_by_role("button", name="Adopt this policy…")
        document.fill(json.dumps(changed | {"daily_cap": 9}))
        expect(page.get_by_text("below is what came of it as it was")).to_be_visible()
        expect(adopt).to_have_count(0)
        document.fill(json.dumps(changed))
        expect(page.get_by_text("below is what came of it as it was")).to_be_hidden()
        # Somebody else adopts one meanwhile, which is not taken back unseen.
        theirs = worker.ask("GET", "/v1/policy")["policy"] | {"daily_cap": 2}
        worker.tell("policy_adopted", None, policy=theirs)
        adopt.click()
        expect(page.get_by_text("Another policy was adopted meanwhile, as #")).to_be_visible()
        assert worker.ask("GET", "/v1/policy")["policy"] == theirs
        page.get_by_role("button", name="Show the policy in force").click()
        expect(document).to_have_value(re.compile('"daily_cap": 2'))
        document.fill(json.dumps(changed))
        page.get_by_label("Over").select_option(label="The whole log")
        page.get_by_role("button", name="Hold against the log").click()
        expect(page.get_by_text(re.compile("Under calmer, from .* to "))).to_be_visible()
        adopt.click()
        expect(page.get_by_role("dialog")).to_contain_text("the document that was held against the log")
        page.get_by_role("button", name="Adopt", exact=True).click()
        expect(page.get_by_text("Adopted as event")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_contain_text("calmer")
        # What an app tells and the other would not take is said before anybody adopts it.
        page.get_by_label("Begin with").select_option(label="Shipped: coachme")
        expect(document).to_have_value(re.compile('"coachme"'))
        page.get_by_label("Over").select_option(label="The whole log")
        page.get_by_role("button", name="Hold against the log").click()
        expect(page.get_by_text(re.compile("recorded facts? would be refused under this policy"))).to_be_visible()
        refused = page.get_by_role("region", name="What would be refused").get_by_role("row").filter(has_text="Notice requested of alert")
        expect(refused).to_contain_text("3")
        expect(refused.get_by_role("link")).to_have_attribute("href", re.compile(r"^/log/\d+"))
        one.check("refused")
    assert worker.ask("GET", "/v1/policy")["policy"]["name"] == "calmer"


def read_only(browser, worker):
    """Whoever may only read is offered nothing to change."""
    worker.tell("user_enrolled", "rita", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        one.sign_in(os.environ["BELFRY_READ_TOKEN"])
        one.go("/people/rita")
        expect(one.page.get_by_role("button", name="Run now…")).to_have_count(0)
        expect(one.page.get_by_role("button", name="Erase…")).to_have_count(0)
        one.go("/people/rita/preferences")
        expect(one.page.get_by_text("Your role may read this")).to_be_visible()
        assert one.page.locator("main input:enabled, main select:enabled").count() == 0
        expect(one.page.get_by_role("button", name="Save")).to_have_count(0)
        one.go("/policy")
        expect(one.page.get_by_label("Document", exact=True)).to_be_visible()
        expect(one.page.get_by_role("button", name="Adopt this policy…")).to_have_count(0)


def erases_a_person(browser, worker):
    """Whoever erases types the id; then nobody is there any more."""
    worker.tell("user_enrolled", "erna", timezone=where_it_is(12), name="Erna Ehrlich")
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/people/erna")
        # The day may just have been asked for when nobody is there any more.
        one.expect_trouble("404")
        expect(one.page.locator(".live-state")).to_have_text("Live")
        one.page.get_by_role("button", name="Erase…").click()
        dialog = one.page.get_by_role("dialog")
        typed = dialog.get_by_label("Type their id to go on")
        typed.fill("erin")
        dialog.get_by_role("button", name="Erase for ever").click()
        expect(dialog.get_by_text("That is not their id")).to_be_visible()
        assert worker.ask("GET", "/v1/people/erna/state")["user"] == "erna"
        typed.fill("erna")
        dialog.get_by_role("button", name="Erase for ever").click()
        expect(dialog.get_by_text("Erased, as event")).to_be_visible()
        expect(dialog.get_by_text("their key")).to_be_visible()
        one.check("erased")
        # What happened is told by the dialog alone.
        expect(one.page.get_by_text("Somebody erased them")).to_have_count(0)
        dialog.get_by_role("button", name="Close").click()
        one.settle()
        expect(one.page.get_by_role("heading", name="People")).to_be_visible()
        expect(one.page.get_by_text("Erna Ehrlich")).to_have_count(0)


def erased_elsewhere(browser, worker):
    """Whoever has somebody open who is erased by another is told what happened and where to go, and is shown nothing of them any more."""
    worker.tell("user_enrolled", "vera", timezone=where_it_is(12), name="Vera Vogel")
    screens = Screens()
    with visit(browser, worker) as one, visit(browser, worker, width=360, scheme="dark") as other:
        for each, path in [(one, "/people/vera"), (other, "/people/vera/history")]:
            each.expect_trouble("404")
            each.sign_in()
            each.go(path)
            expect(each.page.get_by_role("heading", name="Vera Vogel", level=1)).to_be_visible()
        expect(one.page.locator(".live-state")).to_have_text("Live")
        worker.ask("POST", "/v1/people/vera/erase", {"user": "vera"})
        expect(one.page.get_by_role("link", name="The erasure in the log")).to_be_visible()
        other.page.evaluate("window.dispatchEvent(new Event('focus'))")
        for each, name in [(one, "day"), (other, "history")]:
            expect(each.page.get_by_role("heading", name="This person was erased", level=1)).to_be_focused()
            expect(each.page.get_by_role("alert")).to_contain_text("can be read by nobody any more")
            expect(each.page.get_by_text("Vera Vogel")).to_have_count(0)
            each.check(f"erased elsewhere, {name}")
            screens.take(each, f"erased-{name}")
        one.page.get_by_role("link", name="The erasure in the log").click()
        expect(one.page.get_by_role("heading", name="Event #")).to_be_visible()
        other.page.get_by_role("link", name="All people").click()
        expect(other.page.get_by_role("heading", name="People", level=1)).to_be_focused()


def retries(browser, worker):
    """Retry is offered only where it can work; its button names the notice, and its answer is a sentence in the person's time."""
    worker.wait_for("/v1/events?type=job_failed&user=rhea", 1)
    seq = worker.tell("notice_requested", "rhea", kind="urgent", title="The door is open")
    worker.wait_for("/v1/events?type=job_delivered&user=rhea", 1)
    job = f"rhea/urgent/#{seq}"
    worker.tell("delivery_reported", "rhea", job=job, channel="push", status="failed", permanent=False, code="503")
    screens = Screens()
    for width, scheme in [(1280, "light"), (360, "dark")]:
        with visit(browser, worker, width=width, scheme=scheme) as one:
            one.sign_in()
            one.go("/people/rhea/history?days=30")
            history = one.page.get_by_role("region", name="History")
            late = history.get_by_role("listitem").filter(has_text="Water in the cellar")
            expect(late).to_contain_text("It cannot be sent again: its time passed")
            expect(late.get_by_role("button")).to_have_count(0)
            one.check(f"retries at {width} px")
            screens.take(one, f"retries-{width}-{scheme}")
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/people/rhea")
        page = one.page
        page.get_by_role("button", name="Retry failed…").click()
        dialog = page.get_by_role("dialog")
        # Behind the dialog the day is asked for anew, and the worker takes its time.
        waiting, is_held = [], True
        page.route("**/day*", lambda route: waiting.append(route) if is_held else route.continue_())
        dialog.get_by_role("button", name="Retry").click()
        expect(dialog).to_contain_text("1 notice is being sent once more.")
        refused = dialog.get_by_role("listitem").filter(has_text="rhea/urgent/")
        expect(refused).to_contain_text("It could be sent until ")
        expect(refused).not_to_contain_text("job:")
        expect(refused).not_to_contain_text("Z,")
        page.wait_for_timeout(300)
        dialog.get_by_role("button", name="Close").click()
        expect(page.get_by_role("button", name="Retry failed…")).to_be_focused()
        is_held = False
        for asked in waiting:
            asked.continue_()
        page.unroute("**/day*")
        expect(page.locator("day-strip svg")).to_be_visible()
        expect(page.get_by_role("button", name="Retry failed…")).to_be_focused()
        worker.wait_for("/v1/events?type=job_delivered&user=rhea", 2)
        worker.tell("delivery_reported", "rhea", job=job, channel="push", status="failed", permanent=False, code="503")
        one.go("/people/rhea/history?days=30")
        button = page.get_by_role("button", name=re.compile("^Retry… “The door is open”, "))
        expect(button).to_have_text("Retry…")
        button.focus()
        page.keyboard.press("Enter")
        dialog.get_by_role("button", name="Retry").press("Enter")
        expect(dialog).to_contain_text("It is being sent once more.")
        dialog.get_by_role("button", name="Close").press("Enter")
        # The button is gone with what failed; whoever pressed it is not left at the top of the page without a place.
        expect(button).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_be_focused()


def by_keyboard(browser, worker):
    """A filter that redraws the view keeps the focus; a date is gone to when it is typed; and day by day one goes on with one link."""
    worker.tell("user_enrolled", "kay", timezone=where_it_is(12), name="Kay")
    with visit(browser, worker) as one:
        one.sign_in()
        page = one.page
        for path, label, value in [("/people/kay/history", "Status", "failed"), ("/numbers", "By", "kind")]:
            one.go(path)
            choice = page.get_by_label(label, exact=True)
            choice.focus()
            choice.select_option(value)
            expect(page).to_have_url(re.compile(f"={value}"))
            expect(page.get_by_label(label, exact=True)).to_be_focused()
            one.settle()
            expect(page.get_by_label(label, exact=True)).to_be_focused()
        one.go("/people/kay")
        after = page.get_by_role("link", name="The day after")
        after.focus()
        for _ in range(2):
            there = after.get_attribute("href")
            page.keyboard.press("Enter")
            expect(page).to_have_url(worker.base + there)
            # The view of that day is there when its own next day is another.
            expect(after).not_to_have_attribute("href", there)
            expect(after).to_be_focused()
        one.go("/people/kay")
        page.get_by_label("Day", exact=True).focus()
        page.keyboard.type("02022026")
        assert page.url.endswith("/people/kay"), "a date was gone to before it was typed"
        one.expect_trouble("404")
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{worker.base}/people/kay?date=2026-02-02")
        # It was before they were known: that is said, and they are still there.
        expect(page.get_by_text("not known yet then")).to_be_visible()
        expect(page.get_by_role("heading", name="Kay", level=1)).to_be_visible()
        page.get_by_role("link", name="Today").click()
        expect(page.locator("day-strip svg")).to_be_visible()


def preferences_by_an_operator(browser, worker):
    """Changes gather in sentences before anything is saved, and can be thrown away."""
    worker.tell("user_enrolled", "pia", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/people/pia/preferences")
        page = one.page
        head = worker.ask("GET", "/v1/log/head")["seq"]
        quiet = page.get_by_role("region", name="Quiet hours").get_by_label("Quiet hours", exact=True)
        quiet.click()
        draft = page.get_by_role("region", name="What will change")
        expect(draft.get_by_role("listitem")).to_have_count(1)
        assert worker.ask("GET", "/v1/log/head")["seq"] == head, "a preview was recorded"
        draft.get_by_role("button", name="Discard").click()
        expect(draft).to_be_hidden()
        expect(quiet).to_be_checked()
        quiet.click()
        # The session ends before it is saved: nothing that was changed is lost over the signing in.
        one.expect_trouble("401")
        expect(draft.get_by_role("listitem")).to_have_count(1)
        one.context.clear_cookies()
        draft.get_by_role("button", name="Save").click()
        expect(page.get_by_text("did not save are kept meanwhile")).to_be_visible()
        expect(page.get_by_label("Token")).to_be_focused()
        page.keyboard.type(worker.token)
        page.keyboard.press("Enter")
        expect(draft.get_by_role("listitem")).to_have_count(1)
        expect(quiet).not_to_be_checked()
        draft.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved as event")).to_be_visible()
        expect(quiet).not_to_be_checked()
        refused_beside_others(one, draft, quiet)
    state = worker.ask("GET", "/v1/people/pia/state")
    assert state["changed"] == {"quiet_hours": {"enabled": False}}, state["changed"]


def changed_while_saving(browser, worker):
    """What is changed while a save is under way is no part of it and is not lost; of a list each change counts."""
    worker.tell("user_enrolled", "pola", timezone=where_it_is(12))
    with visit(browser, worker) as one:
        page, held = one.page, []
        one.sign_in()
        one.go("/people/pola/preferences")
        page.route("**/preferences", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
        quiet = page.get_by_role("region", name="Quiet hours")
        draft = page.get_by_role("region", name="What will change")
        quiet.get_by_label("Sat").click()
        quiet.get_by_label("Sun").click()
        expect(draft.get_by_role("listitem")).to_have_count(1)
        with page.expect_request(lambda request: request.method == "PATCH"):
            draft.get_by_role("button", name="Save").click()
        quiet.get_by_label("To", exact=True).fill("07:00")
        quiet.get_by_label("To", exact=True).blur()
        expect(draft.get_by_role("listitem")).to_have_count(2)
        held[0].continue_()
        expect(page.get_by_text("Saved as event")).to_be_visible()
        expect(draft.get_by_role("listitem")).to_have_count(1)
        expect(quiet.get_by_label("To", exact=True)).to_have_value("07:00")
        days = {"days": ["mon", "tue", "wed", "thu", "fri"]}
        assert worker.ask("GET", "/v1/people/pola/state")["changed"] == {"quiet_hours": days}
        page.unroute("**/preferences")
        draft.get_by_role("button", name="Save").click()
        expect(draft).to_be_hidden()
    assert worker.ask("GET", "/v1/people/pola/state")["changed"] == {"quiet_hours": {**days, "end": "07:00"}}


def shared_comparison(browser, worker):
    """Who looks at somebody else's comparison does not end it by leaving."""
    with visit(browser, worker) as one:
        asked = []
        one.sign_in()
        one.page.on("request", lambda request: asked.append((request.method, request.url)))
        one.context.route("**/v1/what-if/0123abcd", lambda route: route.fulfill(json={"state": "running", "progress": 0.25}))
        one.go("/policy?what_if=0123abcd")
        expect(one.page.get_by_text("Deciding the stretch again: 25 %")).to_be_visible()
        one.page.get_by_role("link", name="Now", exact=True).click()
        expect(one.page.locator(".live-state")).to_have_text("Live")
    assert any(url.endswith("/v1/what-if/0123abcd") for _, url in asked)
    assert not [url for method, url in asked if method == "DELETE"], asked


def refused_beside_others(one, draft, quiet):
    """What is refused stays as it was typed, with why, over other changes, and is no part of what is to be saved."""
    page = one.page
    one.expect_trouble("400")
    zone = page.locator('input[data-path="timezone"]')
    saved = zone.input_value()
    zone.fill("GMT+2")
    zone.press("Enter")
    expect(zone).to_have_attribute("aria-invalid", "true")
    quiet.click()
    expect(draft.get_by_role("listitem")).to_have_count(1)
    expect(zone).to_have_attribute("aria-invalid", "true")
    expect(zone).to_have_value("GMT+2")
    expect(page.locator(".refusal")).to_have_count(1)
    draft.get_by_role("button", name="Discard").click()
    expect(zone).to_have_value(saved)
    expect(zone).not_to_have_attribute("aria-invalid", "true")
    expect(quiet).not_to_be_checked()


def worker_goes_and_comes(browser, worker):
    """A worker that is gone is told of, and the page goes on when it is back; the session ended with it."""
    with visit(browser, worker) as one:
        one.expect_trouble("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING",
                           "401", "503", "network error")
        one.sign_in()
        one.go("/now")
        expect(one.page.locator(".live-state")).to_have_text("Live")
        print("stop", flush=True)
        expect(one.page.get_by_text("The worker does not answer")).to_be_visible()
        print("start", flush=True)
        expect(one.page.get_by_text("Your session has ended")).to_be_visible()
        expect(one.page.get_by_label("Token")).to_be_focused()
        one.page.keyboard.type(worker.token)
        one.page.keyboard.press("Enter")
        expect(one.page.locator(".live-state")).to_have_text("Live")
        assert one.page.url.endswith("/now")
        one.page.get_by_role("navigation", name="Views").get_by_role("link", name="People").click()
        expect(one.page.get_by_role("heading", name="People", level=1)).to_be_focused()


def log_in_partitions(browser, worker):
    """The log of four partitions: newest first over all of them, page by page to its beginning; each link names its partition."""
    for number in range(60):
        worker.tell("user_enrolled", f"p{number}", timezone=where_it_is(12))
    worker.tell("device_registered", "p1", device="phone", platform="ios", token="e" * 64)
    seq = worker.tell("notice_requested", "p1", kind="urgent", title="Look")
    home = worker.ask("GET", "/v1/people/p1/state")["partition"]
    events = worker.lines("/v1/events")
    with visit(browser, worker) as one:
        one.sign_in()
        one.go("/log")
        page = one.page
        shown = []
        while True:
            rows = page.get_by_role("region", name="Events, newest first").locator("tbody tr")
            shown += rows.evaluate_all(
                "all => all.map(row => [row.querySelector('th a').getAttribute('href'), row.querySelector('time').dateTime])")
            older = page.get_by_role("link", name="Older")
            if older.count() == 0:
                break
            shown_one = page.locator(f'a[href="{older.get_attribute("href")}"]')
            older.click()
            expect(page).to_have_url(re.compile(re.escape(f"before={shown_cursor(shown, events)}")))
            expect(shown_one).to_have_count(0)
            one.settle()
        wanted = {f"/log/{event['seq']}?partition={event['partition']}" for event in events}
        assert {link for link, _ in shown} >= wanted, wanted - {link for link, _ in shown}
        assert len({link for link, _ in shown}) == len(shown), "an event stands twice"
        times = [at for _, at in shown]
        assert times == sorted(times, reverse=True), "not newest first"
        heads = page.get_by_role("region", name="Where each log ends")
        expect(heads.locator("tbody tr")).to_have_count(5)
        one.go("/log?user=p1")
        page.get_by_role("link", name=f"#{seq} in partition {home}", exact=True).click()
        expect(page).to_have_url(f"{worker.base}/log/{seq}?partition={home}")
        expect(page.get_by_role("heading", name=f"Event #{seq}")).to_be_visible()
        page.get_by_role("region", name="Its consequences").get_by_role("link").first.click()
        expect(page).to_have_url(re.compile(f"partition={home}$"))
        one.go("/log")
        page.get_by_label("Event’s number").fill(str(seq))
        page.get_by_label("Partition", exact=True).select_option(str(home))
        page.get_by_role("button", name="Search").click()
        expect(page).to_have_url(f"{worker.base}/log/{seq}?partition={home}")
        one.go("/log/1")
        page.get_by_role("link", name=f"#1 in partition {home}").click()
        expect(page.get_by_role("heading", name="Event #1")).to_be_visible()
        one.go("/now?show=all")
        link = page.get_by_role("region", name="Events as they happen, newest first").get_by_role("link", name=f"#{seq} in partition {home}", exact=True).first
        assert "partition=" in link.get_attribute("href")
        one.go("/people/p1")
        happened = page.get_by_role("region", name="What happened on this day")
        assert happened.locator('a[href^="/log/"]').first.get_attribute("href").endswith(f"?partition={home}")
        happened.locator('a[href*="notice="]:visible').first.click()
        page.get_by_role("button", name="Show the text").first.click()
        expect(page.locator("blockquote")).to_contain_text("Look")
        one.go("/people/p1/why?kind=urgent")
        expect(page.locator(f'main a[href$="?partition={home}"]').first).to_be_visible()


def shown_cursor(shown, events):
    """In front of which event of each partition what was not shown yet ends."""
    ends = [1 + max(event["seq"] for event in events if event["partition"] == partition) for partition in range(4)]
    for link, _ in shown:
        seq, partition = (int(part) for part in link.removeprefix("/log/").split("?partition="))
        ends[partition] = min(ends[partition], seq)
    return ".".join(map(str, ends))


SCENARIOS = {
    "partitions": log_in_partitions,
    "why": why_nothing_came, "live": live_notice, "policy": another_policy, "read-only": read_only,
    "preferences": preferences_by_an_operator, "saved-meanwhile": changed_while_saving, "shared-comparison": shared_comparison, "lost": worker_goes_and_comes,
    "erase": erases_a_person, "day": what_a_day_says, "erased-elsewhere": erased_elsewhere, "retries": retries, "keyboard": by_keyboard,
}

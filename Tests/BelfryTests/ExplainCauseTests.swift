import Foundation
import Testing

/// What raised a notice, and what ended one that no rule of its own did.
extension ExplainTests {
    /// Anna opted in to smart notifications, and her app's analyser has answered: the conclusion is event 7.
    private func importAnalysed(notify: Bool) {
        shell.importing(
            fact("user_enrolled", at: monday("10:00:00"), data: #"{"timezone":"Etc/UTC"}"#)
                + fact("consent_given", at: monday("10:00:01"), data: #"{"by":"user"}"#)
                + fact(
                    "message_received", at: monday("10:01:00"), data: #"{"conversation":"c1","message":"m1"}"#)
                + fact(
                    "analysis_answered", at: monday("10:03:01"),
                    data: #"""
                        {"conversation":"c1","should_notify":\#(notify),"priority":"medium","reason":"Small talk.","text":"Look"}
                        """#),
            policy: "messageai", until: monday("10:04:00"))
    }

    @Test func `a notice that an analysis raised begins with its conclusion and the reason for it (A4)`() throws {
        importAnalysed(notify: true)
        let story = try json("--notice", "anna/message/conversation:c1/#7")
        #expect(story["events.0.type"] == "analysis_concluded", "\(story.text)")
        #expect(story["events.0.says"] == "the analyser chose to tell of c1 (medium): Small talk.")
        #expect(story["events.0.explanation"] == "null")
        #expect(story["events.1.says"]?.hasPrefix("handed out for push") == true)
    }

    @Test func `a conclusion that tells nobody is what was decided about messages last (A2)`() throws {
        importAnalysed(notify: false)
        let told = try json("--kind", "message")
        #expect(told["kinds.0.last.seq"] == "7", "\(told.text)")
        #expect(told["kinds.0.last.says"] == "the analyser chose not to tell of c1: Small talk.")
        #expect(told["kinds.0.now.never"] == "a message is analysed first, and none waits for that (A2)")
    }

    /// She leaves while her message waits for its analysis: the conclusion is event 5.
    @Test func `where no analysis is wanted any more, no fallback is said to have chosen (A6)`() throws {
        shell.importing(
            fact("user_enrolled", at: monday("10:00:00"), data: #"{"timezone":"Etc/UTC"}"#)
                + fact("consent_given", at: monday("10:00:01"), data: #"{"by":"user"}"#)
                + fact(
                    "message_received", at: monday("10:01:00"), data: #"{"conversation":"c1","message":"m1"}"#)
                + fact("consent_withdrawn", at: monday("10:01:30"), data: #"{"by":"user"}"#),
            policy: "messageai")
        let story = try json("--notice", "anna/message/conversation:c1/#6")
        #expect(story["events.0.type"] == "analysis_concluded", "\(story.text)")
        #expect(story["events.0.says"] == "no analysis was wanted any more: told of c1 (medium, A6)")
        #expect(story["events.1.says"]?.hasPrefix("handed out for push") == true)
    }

    @Test func `a notice that a fact raised begins with that fact (C7)`() throws {
        shell.importing(
            fact("user_enrolled", at: monday("11:00:00"), data: #"{"timezone":"Etc/UTC"}"#)
                + fact("goal_started", at: monday("12:00:00"), data: #"{"goal":"g1","title":"Swim"}"#),
            policy: "microcommit")
        let story = try json("--notice", "anna/goal_lifecycle/goal:g1/#3")
        #expect(story["events.0.type"] == "goal_started", "\(story.text)")
        #expect(story["events.0.says"] == "the goal started (C7)")
    }

    @Test func `a test that was withheld is told with P6, the one rule that it was asked (N8)`() throws {
        shell.importing(
            fact("user_enrolled", at: monday("11:00:00"), data: #"{"timezone":"Etc/UTC"}"#)
                + fact("test_requested", at: monday("12:00:00"), data: #"{"kind":"alert","channel":"email"}"#))
        let story = try json("--notice", "anna/alert/#3")
        #expect(story["events.0.says"] == "a test was asked for (N8)", "\(story.text)")
        #expect(story["events.1.says"] == "dropped: no_channel")
        let explanation = "events.1.explanation"
        #expect(story[explanation + ".exempt"] == "a test: only P6 is asked (N8)")
        let asked = (0..<13).map { story["\(explanation).rules.\($0).asked"] == "true" }
        #expect(asked == (1...13).map { $0 == 6 })
        #expect(story[explanation + ".rules.5.saw"] == "chosen: push; reachable: push, in_app; tried: email")
        #expect(story[explanation + ".outcome"] == #"{"drop":true,"reason":"no_channel"}"#)
    }

    /// The requests are numbers 3, 5, … 2,003.
    @Test func `what is dropped because as many wait as may says so (G11)`() throws {
        let requests = (0...1_000).map { number in
            fact(
                "notice_requested", at: monday("23:01:00"), data: #"{"kind":"alert","subject":"thing:\#(number)"}"#)
        }
        shell.importing(
            fact("user_enrolled", at: monday("23:00:00"), data: #"{"timezone":"Etc/UTC"}"#) + requests.joined())
        let limit = "no more than 1000 notices may wait, G11"
        let story = try json("--notice", "anna/alert/thing:1000/#2003")
        #expect(story["events.1.says"] == "dropped: overload (\(limit))", "\(story.text)")
        let told = explain("--kind", "alert").lines
        #expect(
            told.contains {
                $0.hasPrefix("  raised now: it would be dropped (overload: \(limit)); the next of its kind")
            },
            "\(told.prefix(4))")
    }
}

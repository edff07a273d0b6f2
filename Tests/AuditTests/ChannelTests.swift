import Testing

@Suite("P6, P7, P15 and P16, as the judge sees them")
struct ChannelTests {
    private static let noon = "2026-03-02T12:00:00Z"
    private static let email = #","email":"a@example.com""#

    private func found(
        _ channels: [String], _ facts: Step..., of kind: String = "note", email: Bool = true
    ) throws -> [String] {
        var steps = [enrolled("UTC", email ? Self.email : "")] + facts
        steps.append(requested(Self.noon, kind))
        steps.append(job(Self.noon, "anna/\(kind)/#\(steps.count)", on: channels))
        return try wrong(steps)
    }

    /// Each channel is looked at by itself; that a job is on all of them is asked below.
    private func wrong(_ steps: [Step]) throws -> [String] {
        try History(Policies.busy, steps).found().map { String($0.split(separator: " ")[0]) }
            .filter { $0 != "every_channel" }
    }

    @Test func `a job is on every channel that was chosen and reaches`() throws {
        func missing(_ channels: [String], _ facts: Step...) throws -> Bool {
            let steps = [enrolled("UTC", Self.email)] + facts + [requested(Self.noon, "note")]
            let last = job(Self.noon, "anna/note/#\(steps.count)", on: channels)
            let found = try History(Policies.busy, steps + [last]).found()
            #expect(found == [] || found == ["every_channel \(steps.count + 1)"])
            return !found.isEmpty
        }
        #expect(try missing(["push"]))
        #expect(try missing(["email"]))
        #expect(try !missing(["push", "email"]))
        #expect(try !missing(["email"], before("push_permission_changed", #"{"status":"denied"}"#)))
        #expect(try !missing(["push"], before("contact_changed", #"{"email":null}"#)))
        #expect(try !missing(["push"], wants(#"{"channels":{"email":false}}"#)))
        #expect(try !missing(["push"], wants(#"{"kinds":{"note":{"channels":["push"]}}}"#)))
    }

    private func before(_ type: String, _ data: String) -> Step { fact("2026-03-01T13:00:00Z", type, data) }

    @Test func `push reaches unless it was denied or every device is gone`() throws {
        #expect(try found(["push"]) == [])
        #expect(try found(["push"], before("push_permission_changed", #"{"status":"denied"}"#)) == ["channels"])
        #expect(try found(["push"], before("push_permission_changed", #"{"status":"not_now"}"#)) == [])
        let device = before("device_registered", #"{"device":"d1","platform":"ios","token":"t"}"#)
        let other = before("device_registered", #"{"device":"d2","platform":"web","token":"u"}"#)
        let gone = before("device_removed", #"{"device":"d1"}"#)
        #expect(try found(["push"], device) == [])
        #expect(try found(["push"], device, gone) == ["channels"])
        #expect(try found(["push"], device, other, gone) == [])
        #expect(try found(["push"], device, gone, device) == [])
    }

    @Test func `email reaches where an address is known that has not bounced`() throws {
        #expect(try self.found(["email"]) == [])
        #expect(try self.found(["email"], email: false) == ["channels"])
        func found(_ channels: [String], _ facts: Step...) throws -> [String] {
            let early = "2026-03-01T12:30:00Z"
            let sent = [
                enrolled("UTC", Self.email), requested(early, "note"), job(early, "anna/note/#2", on: ["email"]),
            ]
            let steps = sent + facts + [requested(Self.noon, "note")]
            let last = job(Self.noon, "anna/note/#\(steps.count)", on: channels)
            return try wrong(steps + [last])
        }
        let failed = { (permanent: Bool, reason: String) in
            before(
                "job_failed",
                "{\"job\":\"anna/note/#2\",\"channel\":\"email\",\"reason\":\"\(reason)\",\"permanent\":\(permanent)}")
        }
        let reported = { (status: String) in
            before(
                "delivery_reported",
                "{\"job\":\"anna/note/#2\",\"channel\":\"email\",\"status\":\"\(status)\",\"permanent\":true}")
        }
        #expect(try found(["email"], reported("bounced")) == ["channels"])
        #expect(try found(["email"], reported("failed")) == [])
        #expect(try found(["email"], reported("complained")) == ["channels"])
        #expect(try found(["email"], before("contact_changed", #"{"email":null}"#)) == ["channels"])
        let moved = before("contact_changed", #"{"email":"b@example.com"}"#)
        #expect(try found(["email"], reported("bounced"), moved) == [])
        #expect(try found(["email"], moved, reported("bounced")) == [])
        #expect(try found(["email"], failed(true, "bounce")) == ["channels"])
        #expect(try found(["email"], failed(false, "busy")) == [])
        #expect(try found(["email"], failed(true, "too_late")) == [])
        let again = before("user_enrolled", #"{"timezone":"UTC","email":"b@example.com"}"#)
        #expect(try found(["email"], failed(true, "bounce"), again) == [])
    }

    @Test func `sms reaches where a phone is verified and it was chosen`() throws {
        let chosen = wants(#"{"channels":{"sms":true}}"#)
        let verified = fact(
            "2026-03-01T13:00:00Z", "contact_changed", #"{"phone":"+14155550123","phone_verified":true}"#)
        #expect(try found(["sms"], chosen, verified) == [])
        #expect(try found(["sms"], chosen) == ["channels"])
        #expect(try found(["sms"], verified) == ["channels"])
    }

    @Test func `a number that is dead is not reached until it is given anew`() throws {
        let early = "2026-03-01T12:30:00Z"
        func found(_ facts: Step...) throws -> [String] {
            let sent = [
                enrolled("UTC", #","phone":"+14155550100""#),
                fact("2026-03-01T12:10:00Z", "contact_changed", #"{"phone_verified":true}"#),
                fact("2026-03-01T12:10:00Z", "preferences_changed", #"{"patch":{"channels":{"sms":true}}}"#),
                requested(early, "note"), job(early, "anna/note/#4", on: ["sms"]),
            ]
            let steps = sent + facts + [requested(Self.noon, "note")]
            let last = job(Self.noon, "anna/note/#\(steps.count)", on: ["sms"])
            return try wrong(steps + [last])
        }
        let failed = before(
            "job_failed", #"{"job":"anna/note/#4","channel":"sms","reason":"twilio answered 400","permanent":true}"#)
        let reported = before(
            "delivery_reported", #"{"job":"anna/note/#4","channel":"sms","status":"failed","permanent":true}"#)
        let again = before("contact_changed", #"{"phone":"+14155550100"}"#)
        #expect(try found() == [])
        #expect(try found(failed) == ["channels"])
        #expect(try found(reported) == ["channels"])
        #expect(try found(reported, again) == [])
        #expect(try found(again, reported) == [])
    }

    @Test func `a channel that was switched off, or not chosen for the kind`() throws {
        #expect(try found(["push"], wants(#"{"channels":{"push":false}}"#)) == ["channels"])
        #expect(try found(["push"], wants(#"{"kinds":{"note":{"channels":["email"]}}}"#)) == ["channels"])
        #expect(try found(["email"], wants(#"{"kinds":{"note":{"channels":["email"]}}}"#)) == [])
        #expect(try found([]) == ["channels"])
    }

    /// A reminder on push, of which its provider reported that it does not come.
    @Test(arguments: [("email", []), ("sms", ["ways 4"]), ("push", ["ways 4"])])
    func `what gives way goes to a channel that is on and was not used (N4)`(channel: String, found: [String]) throws {
        let report = fact(
            Self.noon, "delivery_reported",
            """
            {"job":"anna/reminder/#2","channel":"push","status":"failed","permanent":true,"gives_way_to":["\(channel)"]}
            """)
        let sent = [enrolled(), requested(Self.noon), job(Self.noon, "anna/reminder/#2")]
        #expect(try History(Policies.standard, sent + [report]).found() == found)
    }

    @Test func `locked kinds are on all the channels they require`() throws {
        #expect(try found(["push", "email"], of: "payment") == [])
        #expect(try found(["push"], of: "payment") == ["channels"])
        #expect(try found(["push"], of: "payment", email: false) == [])
        #expect(try found(["push", "email"], wants(#"{"channels":{"email":false}}"#), of: "payment") == [])
        #expect(
            try found(["email"], before("push_permission_changed", #"{"status":"denied"}"#), of: "payment") == [])
    }

    /// A job in the app or on push, some time after the last sign of life.
    private func inApp(_ signs: [Step], _ channel: String, at: String, _ policy: String = Policies.standard) throws
        -> [String]
    {
        let steps = [enrolled()] + signs + [requested(at)]
        return try History(policy, steps + [job(at, "anna/reminder/#\(steps.count)", on: [channel])]).found()
            .map { String($0.split(separator: " ")[0]) }
    }

    @Test(arguments: [("12:01:59.999", true), ("12:02:00.000", false)])
    func `the app is open for two minutes after the last sign`(time: String, isOpen: Bool) throws {
        let at = "2026-03-02T\(time)Z"
        let opened = [fact(Self.noon, "app_opened")]
        #expect(try inApp(opened, "in_app", at: at) == (isOpen ? [] : ["in_app"]))
        #expect(try inApp(opened, "push", at: at) == (isOpen ? ["in_app"] : []))
        #expect(try inApp(opened + [fact(Self.noon, "app_closed")], "push", at: at) == [])
        #expect(try inApp(opened + [fact(Self.noon, "app_closed")], "in_app", at: at) == ["in_app"])
        #expect(try inApp([], "in_app", at: at) == ["in_app"])
        // A conversation opened later is another sign.
        let later = fact("2026-03-02T12:01:00Z", "conversation_opened", #"{"conversation":"c1"}"#)
        #expect(try inApp(opened + [later], "in_app", at: at) == [])
        #expect(try inApp(opened + [later], "push", at: at) == ["in_app"])
    }

    @Test func `in the app quiet hours, schedule and digest mode are not asked`() throws {
        let night = "2026-03-02T23:00:00Z"
        let wish = wants(#"{"digest_mode":true,"schedule":{"mon":[["09:00","10:00"]]}}"#)
        #expect(try inApp([wish, fact(night, "app_opened")], "in_app", at: night) == [])
    }

    @Test func `nobody is told of the conversation they look at`() throws {
        let found = { (signs: [Step], at: String, channel: String) in
            var steps = [enrolled()] + signs
            steps.append(fact(at, "message_received", #"{"conversation":"c1","message":"m9"}"#))
            steps.append(job(at, "anna/message/conversation:c1/#\(steps.count)", on: [channel]))
            return try History(Policies.chatty, steps).found().map { String($0.split(separator: " ")[0]) }
        }
        let opened = fact(Self.noon, "app_opened")
        let looking = fact(Self.noon, "conversation_opened", #"{"conversation":"c1"}"#)
        let away = fact(Self.noon, "conversation_closed", #"{"conversation":"c1"}"#)
        let other = fact(Self.noon, "conversation_opened", #"{"conversation":"c2"}"#)
        #expect(try found([opened, looking], "2026-03-02T12:01:59.999Z", "in_app") == ["viewing"])
        #expect(try found([opened, looking], "2026-03-02T12:02:00.000Z", "push") == [])
        #expect(try found([opened, looking, away], "2026-03-02T12:01:00Z", "in_app") == [])
        #expect(try found([opened, looking, other], "2026-03-02T12:01:00Z", "in_app") == [])
        #expect(try found([opened, looking, fact(Self.noon, "app_closed")], "2026-03-02T12:01:00Z", "push") == [])
        let sent = fact("2026-03-02T12:01:30Z", "message_sent", #"{"conversation":"c1","message":"m1"}"#)
        #expect(try found([opened, looking, sent], "2026-03-02T12:03:29.999Z", "in_app") == ["viewing"])
    }

    @Test func `nobody is reached in a zone that is not known`() throws {
        #expect(
            try History(
                enrolled("Mars/Olympus"), requested(Self.noon), job(Self.noon, "anna/reminder/#2")
            ).found() == ["zones 3"])
    }
}

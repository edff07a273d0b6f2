internal import CivilTime
internal import Notices
internal import Worker

/// What somebody does next.
extension Teller {
    mutating func act(_ user: String, at: Instant) {
        guard let number = chronicle.register.number(of: user) else { return enrol(user, at) }
        answerAnalysis(user, number, at)
        let times = oneIn(5) ? Int.random(in: 2...5, using: &random) : 1
        for _ in 0..<times { actOnce(user, number, at) }
    }

    private mutating func enrol(_ user: String, _ at: Instant) {
        var data = "{\"timezone\":\"\(oneIn(3) ? pick(HistoryStart.destinations) : home.zone)\""
        if oneIn(5) { data += ",\"minor\":true" }
        if oneIn(2) { data += ",\"email\":\"\(user)@example.com\"" }
        put("user_enrolled", data + "}", user: user, at: at)
        if oneIn(3) { put("push_permission_changed", "{\"status\":\"granted\"}", user: user, at: at) }
        if !oneIn(3) { put("consent_given", "{\"by\":\"\(pick(["user", "guardian"]))\"}", user: user, at: at) }
    }

    private mutating func actOnce(_ user: String, _ number: Int, _ at: Instant) {
        if recipe.pace != .days, oneIn(6) { return run(user, at) }
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<10: request(user, at)
        case 10..<13: change(user, at)
        case 13..<15: put("points_earned", points(), user: user, at: at)
        case 15..<17: put("checked_in", oneIn(3) ? "{}" : "{\"goal\":\"\(goal())\"}", user: user, at: at)
        case 17: put("session_completed", "{}", user: user, at: at)
        case 18..<20: put("app_opened", "{}", user: user, at: at)
        case 20: put("app_closed", "{}", user: user, at: at)
        case 21: put(pick(["conversation_opened", "conversation_closed"]), conversation(), user: user, at: at)
        case 22..<24: travel(user, at)
        case 24..<27: startGoal(user, at)
        case 27:
            put(
                "goal_ended", "{\"goal\":\"\(goal())\",\"outcome\":\"\(pick(["completed", "failed"]))\"}", user: user,
                at: at)
        case 28..<31: answer(user, at)
        case 31: device(user, at)
        case 32: oneIn(3) ? test(user, at) : run(user, at)
        case 33..<36: chat(user, at)
        case 36:
            put(
                pick(["consent_given", "consent_withdrawn"]), "{\"by\":\"\(pick(["user", "guardian"]))\"}", user: user,
                at: at)
        case 37: burst(user, at)
        case 38: oneIn(2) ? verify(user, at) : contact(user, at)
        default: talk(user, at)
        }
    }

    // MARK: Requests

    private mutating func request(_ user: String, _ at: Instant) {
        let policy = chronicle.register.plan.rules.policy
        let kinds = policy.kinds.filter { $0.isOnRequest }
        guard !kinds.isEmpty else { return put("session_completed", "{}", user: user, at: at) }
        let kind = pick(kinds)
        var data = "{\"kind\":\"\(kind.name)\""
        if oneIn(2) {
            data += ",\"subject\":\"\(subject())\""
        }
        if oneIn(4) { data += ",\"priority\":\"\(pick(["critical", "high", "medium", "low"]))\"" }
        if oneIn(5) {
            let expiry = at.advanced(byMilliseconds: pick([0, 1, 1_800_000, 21_600_000, 50_400_000]))
            data += ",\"expires_at\":\"\(expiry)\""
        }
        if let subtype = kind.subtypes.randomElement(using: &random), oneIn(3) {
            data += ",\"data\":{\"subtype\":\"\(subtype.name)\"}"
        }
        put("notice_requested", data + "}", user: user, at: at)
    }

    /// More than an hour or a day has room for.
    private mutating func burst(_ user: String, _ at: Instant) {
        var at = at
        for _ in 0..<Int.random(in: 4...13, using: &random) {
            request(user, at)
            at = at.advanced(byMilliseconds: pick([0, 0, 1, 60_000, 300_000]))
        }
    }

    private mutating func run(_ user: String, _ at: Instant) {
        let kinds = chronicle.register.plan.rules.policy.kinds
        var data = "{"
        if !oneIn(6) { data += "\"kind\":\"\(pick(kinds).name)\"" }
        if oneIn(3) { data += data == "{" ? "\"force\":true" : ",\"force\":true" }
        put("run_requested", data + "}", user: oneIn(4) ? nil : user, at: at)
    }

    /// What becomes of a job they got.
    private mutating func answer(_ user: String, _ at: Instant) {
        let jobs = chronicle.register.number(of: user).map { chronicle.register[$0].marks } ?? []
        let named = jobs.suffix(4).compactMap { mark -> String? in
            if let name = mark.memo?.job?.name { return name }
            guard mark.flags.contains(.job), let time = LocalTime(minuteOfDay: Int(mark.minute)) else { return nil }
            let kind = chronicle.register.plan.rules.kinds[Int(mark.kind)].name
            return "\(user)/\(kind)/\(LocalDateTime(date: mark.date, time: time))"
        }
        guard let job = named.randomElement(using: &random) else { return request(user, at) }
        if oneIn(8) {
            put(pick(["feed_seen", "feed_seen", "history_cleared"]), "{}", user: user, at: at)
        } else if oneIn(6) {
            let channel = pick(["push", "email"])
            put(
                "job_failed",
                "{\"job\":\"\(job)\",\"channel\":\"\(channel)\",\"reason\":\"busy\",\"permanent\":false}",
                user: user, at: at)
            if oneIn(2) { put("job_retry_requested", "{\"job\":\"\(job)\"}", user: user, at: at) }
            if oneIn(2) { put("job_delivered", "{\"job\":\"\(job)\",\"channel\":\"\(channel)\"}", user: user, at: at) }
        } else if oneIn(5) {
            let status = pick(["delivered", "bounced", "failed", "expired", "complained"])
            let device = oneIn(2) ? ",\"device\":\"\(user)-\(pick(["a", "b"]))\"" : ""
            put(
                "delivery_reported",
                "{\"job\":\"\(job)\",\"channel\":\"\(pick(["push", "email"]))\",\"status\":\"\(status)\","
                    + "\"permanent\":\(!oneIn(3))\(device)}", user: user, at: at)
        } else if !oneIn(3) {
            put("notice_snoozed", "{\"job\":\"\(job)\",\"minutes\":\(pick([15, 60, 120]))}", user: user, at: at)
        } else if oneIn(2) {
            put(
                "job_failed", "{\"job\":\"\(job)\",\"channel\":\"email\",\"reason\":\"bounced\",\"permanent\":true}",
                user: user, at: at)
        } else if oneIn(3) {
            put("feedback_given", "{\"job\":\"\(job)\",\"helpful\":\(oneIn(2))}", user: user, at: at)
        } else {
            put(pick(["notice_opened", "notice_dismissed"]), "{\"job\":\"\(job)\"}", user: user, at: at)
        }
    }

    // MARK: Preferences and places

    private mutating func change(_ user: String, _ at: Instant) {
        put("preferences_changed", "{\"patch\":\(patch())}", user: user, at: at)
        if oneIn(12) { put("preferences_reset", "{}", user: user, at: at) }
        if oneIn(12) {
            let kind = pick(chronicle.register.plan.rules.policy.kinds).name
            put(
                "unsubscribed",
                "{\"channel\":\"\(pick(["push", "email", "sms"]))\",\"how\":\"\(pick(["link", "stop"]))\""
                    + "\(oneIn(3) ? "" : ",\"kind\":\"\(kind)\"")}", user: user, at: at)
        }
        if oneIn(12) { put("preset_applied", "{\"preset\":\"\(pick(["minimal", "all"]))\"}", user: user, at: at) }
    }

    private mutating func patch() -> String {
        let kind = pick(chronicle.register.plan.rules.policy.kinds).name
        switch Int.random(in: 0..<20, using: &random) {
        case 19:
            let channels = pick(["\"email\"", "\"push\",\"email\"", "\"sms\""])
            return "{\"goals\":{\"\(goal())\":{\"kinds\":{\"\(kind)\":{\"channels\":[\(channels)]}}}}}"
        case 14: return "{\"kinds\":{\"\(kind)\":{\"digest\":\"\(pick(["none", "daily", "weekly"]))\"}}}"
        case 15: return "{\"subjects\":{\"\(subject())\":{\"kinds\":{\"\(kind)\":{\"enabled\":\(oneIn(3))}}}}}"
        case 16: return "{\"subjects\":{\"child:k1\":\(oneIn(2) ? "null" : switchedPoints())}}"
        case 17: return "{\"reminder_time\":\"\(time())\"}"
        case 18: return "{\"choices\":{\"celebration_level\":\"\(pick(["simple", "epic"]))\"}}"
        case 0: return "{\"quiet_hours\":{\"enabled\":\(oneIn(2))}}"
        case 1: return "{\"quiet_hours\":{\"start\":\"\(time())\",\"end\":\"\(time())\"}}"
        case 2: return "{\"quiet_hours\":{\"days\":\(days()),\"exceptions\":[\"\(kind)\"]}}"
        case 3: return "{\"check_in_time\":\"\(time())\"}"
        case 4: return "{\"frequency\":\"\(pick(["daily", "daily", "few_times_a_week", "weekly"]))\"}"
        case 5: return "{\"check_in_days\":\(oneIn(3) ? "null" : days())}"
        case 6: return "{\"digest_mode\":\(!oneIn(3))}"
        case 7: return "{\"kinds\":{\"\(kind)\":{\"enabled\":\(oneIn(2))}}}"
        case 8: return "{\"enabled\":\(oneIn(2))}"
        case 9: return "{\"check_ins_enabled\":\(!oneIn(3))}"
        case 10: return "{\"schedule\":\(schedule())}"
        case 11:
            return
                "{\"channels\":{\"email\":true,\"sms\":true},\"kinds\":{\"\(kind)\":{\"channels\":[\"push\",\"email\",\"sms\"]}}}"
        case 12:
            return
                "{\"goals\":{\"\(goal())\":{\"repeat\":\"\(pick(["once", "every_2_hours", "hourly_before_deadline"]))\",\"days_before\":\(pick([0, 1]))}}}"
        default:
            return
                "{\"fallback_strategy\":\"\(pick(["simple_rules", "notify_all", "suppress_all"]))\",\"pause_threshold_seconds\":60,\"active_conversation_threshold\":10,\"max_analyses_per_hour\":5}"
        }
    }

    private mutating func subject() -> String {
        pick(["goal:g1", "goal:g2", "conversation:c1", "child:k1", "order:7"])
    }

    private mutating func switchedPoints() -> String {
        "{\"kinds\":{\"\(pick(["points_earned", "daily_summary", "daily_digest"]))\":{\"enabled\":\(oneIn(3))}}}"
    }

    private mutating func schedule() -> String {
        let slots = pick([
            "[[\"09:00\",\"17:00\"]]", "[[\"22:00\",\"02:00\"]]", "[[\"08:00\",\"10:00\"],[\"12:00\",\"18:00\"]]",
        ])
        return oneIn(3) ? "null" : "{\"\(pick(["mon", "tue", "fri"]))\":\(slots),\"sun\":[[\"10:00\",\"23:00\"]]}"
    }

    private mutating func travel(_ user: String, _ at: Instant) {
        let zone = pick(HistoryStart.destinations)
        if oneIn(5) { return put("preferences_changed", "{\"patch\":{\"timezone\":\"\(zone)\"}}", user: user, at: at) }
        put("timezone_changed", "{\"timezone\":\"\(zone)\"\(oneIn(6) ? ",\"keep\":true" : "")}", user: user, at: at)
    }

    private mutating func device(_ user: String, _ at: Instant) {
        let name = "\(user)-\(pick(["a", "b"]))"
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            put(
                "push_permission_changed", "{\"status\":\"\(pick(["granted", "denied", "not_now"]))\"}", user: user,
                at: at)
        case 1:
            put("device_removed", "{\"device\":\"\(name)\"}", user: user, at: at)
        default:
            put(
                "device_registered", "{\"device\":\"\(name)\",\"platform\":\"ios\",\"token\":\"t\"}", user: user, at: at
            )
        }
    }

    private mutating func test(_ user: String, _ at: Instant) {
        let kind = pick(chronicle.register.plan.rules.policy.kinds).name
        let channel = oneIn(2) ? ",\"channel\":\"\(pick(["push", "email", "sms"]))\"" : ""
        put("test_requested", "{\"kind\":\"\(kind)\"\(channel)}", user: user, at: at)
    }

    private mutating func contact(_ user: String, _ at: Instant) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: put("contact_changed", "{\"email\":null}", user: user, at: at)
        case 1: put("contact_changed", "{\"phone\":null}", user: user, at: at)
        case 2: put("contact_changed", "{\"phone\":\"+4915112345678\"}", user: user, at: at)
        case 3: put("contact_changed", "{\"phone\":\"+4915187654321\",\"phone_verified\":true}", user: user, at: at)
        case 4: put("contact_changed", "{\"phone_verified\":\(oneIn(2))}", user: user, at: at)
        default: put("contact_changed", "{\"email\":\"\(user)@example.org\",\"name\":\"Anna\"}", user: user, at: at)
        }
    }

    private mutating func verify(_ user: String, _ at: Instant) {
        put("phone_verification_requested", "{\"phone\":\"+4915112345678\"}", user: user, at: at)
        for _ in 0..<(oneIn(3) ? 5 : 1) {
            put("phone_code_entered", "{\"code\":\"\(pick(["345678", "000000"]))\"}", user: user, at: at)
        }
    }

    // MARK: Goals

    private static let minutesToDeadline: [Int64] = [60, 420, 1560, 3000, 7200, 24_480, 43_200, 260_000]

    private mutating func startGoal(_ user: String, _ at: Instant) {
        let name = goal()
        var data = "{\"goal\":\"\(name)\",\"title\":\"Goal \(name)\""
        if oneIn(2) { data += ",\"deadline\":\"\(at.advanced(byMinutes: pick(Self.minutesToDeadline)))\"" }
        if oneIn(2) { data += ",\"reminder_time\":\"\(pick(["07:50", "08:05", "08:10", "12:00", "02:30"]))\"" }
        if oneIn(3) { data += ",\"check_in_days\":\(days())" }
        put(oneIn(4) ? "goal_changed" : "goal_started", data + "}", user: user, at: at)
    }

    // MARK: Messages

    private mutating func chat(_ user: String, _ at: Instant) {
        var at = at
        let gaps = pick([[0, 1000], [1000, 59_999, 60_000], [119_999, 120_000, 300_000]])
        for _ in 0..<pick([2, 4, 5, 12]) {
            if oneIn(3) { put("message_sent", sent(), user: user, at: at) } else { receive(user, at) }
            at = at.advanced(byMilliseconds: Int64(pick(gaps)))
        }
        if oneIn(3) { put("app_closed", "{}", user: user, at: at) }
    }

    private mutating func talk(_ user: String, _ at: Instant) {
        switch Int.random(in: 0..<5, using: &random) {
        case 0..<2: put("messages_read", conversation(), user: user, at: at)
        case 2..<4: receive(user, at)
        default: put("subject_named", "{\"subject\":\"\(subject())\",\"title\":\"Lea\"}", user: user, at: at)
        }
    }

    private mutating func receive(_ user: String, _ at: Instant) {
        let text = pick(["hello", "URGENT", "helpful tips", "production down!"])
        let mentions = oneIn(4) ? ",\"mentions_user\":true" : ""
        put(
            "message_received",
            "{\"conversation\":\"\(pick(["c1", "c2"]))\",\"message\":\"m\(facts.count)\",\"text\":\"\(text)\"\(mentions)}",
            user: user, at: at)
    }

    /// What they write is not told: only that they wrote.
    private mutating func sent() -> String {
        "{\"conversation\":\"\(pick(["c1", "c2"]))\",\"message\":\"m\(facts.count)\"}"
    }

    private mutating func answerAnalysis(_ user: String, _ number: Int, _ at: Instant) {
        for conversation in chronicle.register[number].details.conversations
        where conversation.pending != nil && !oneIn(4) {
            if oneIn(5) {
                put(
                    "analysis_failed", "{\"conversation\":\"\(conversation.id)\",\"reason\":\"error\"}", user: user,
                    at: at)
            } else {
                put(
                    "analysis_answered",
                    "{\"conversation\":\"\(conversation.id)\",\"should_notify\":\(!oneIn(3)),\"priority\":\"\(pick(["high", "medium"]))\",\"reason\":\"r\",\"text\":\"t\"}",
                    user: user, at: at)
            }
        }
    }

    // MARK: Words

    private mutating func goal() -> String { pick(["g1", "g2", "g3"]) }
    private mutating func conversation() -> String { "{\"conversation\":\"\(pick(["c1", "c2"]))\"}" }

    private mutating func points() -> String {
        "{\"points\":\(Int.random(in: 1...50, using: &random))\(oneIn(2) ? ",\"subject\":\"\(pick(["child:k1", "child:k1", "child:k2", "goal:g1"]))\"" : "")}"
    }

    private mutating func time() -> String {
        pick([
            "00:00", "00:30", "02:00", "02:15", "02:30", "07:59", "08:00", "09:00", "12:00", "17:30", "18:00", "18:30",
            "19:00", "20:00", "22:00", "23:30", "23:59",
        ])
    }

    private mutating func days() -> String {
        pick([
            "[\"fri\"]", "[\"mon\",\"tue\",\"wed\",\"thu\",\"fri\"]", "[\"sat\",\"sun\"]", "[\"tue\",\"sun\",\"mon\"]",
            "[\"mon\",\"tue\",\"wed\",\"thu\",\"fri\",\"sat\",\"sun\"]",
        ])
    }
}

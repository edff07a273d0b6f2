import CivilTime
import Foundation
import Simulation

/// What happens to a few people round the world, from a seed: everything that makes a worker hold, gather, wake and ring.
struct ChaosFacts {
    private let policy: String
    private let users: [String]
    private let name: String
    private var random: SeededRandom
    private var count = 0
    /// Notices that were asked for, as jobs would be called.
    private var asked: [String] = []

    private static let zones = [
        "Europe/Paris", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe", "America/St_Johns",
        "Pacific/Chatham", "Africa/Casablanca", "Asia/Kathmandu", "UTC", "America/Sao_Paulo", "Asia/Tokyo",
    ]

    init(policy: String, name: String, seed: UInt64) {
        self.policy = policy
        self.name = name
        users = Self.zones.indices.map { "\(name).u\($0)" }
        random = SeededRandom(seed: seed)
    }

    /// The next facts, each with an id of its own.
    mutating func next(at now: Instant) -> [String] {
        if count == 0 {
            return users.indices.map {
                line("user_enrolled", users[$0], "{\"timezone\":\"\(Self.zones[$0])\",\"email\":\"a@example.com\"}")
            }
        }
        return (0..<Int.random(in: 1...8, using: &random)).map { _ in something(now) }
    }

    mutating func acknowledged(_ line: String, seq: UInt64) {
        guard let match = line.firstMatch(of: #/"notice_requested","user":"([^"]+)".*"kind":"([a-z_]+)"/#) else {
            return
        }
        asked.append("\(match.1)/\(match.2)/#\(seq)")
        if asked.count > 50 { asked.removeFirst() }
    }

    private mutating func something(_ now: Instant) -> String {
        let place = Int.random(in: 0..<users.count, using: &random)
        let user = users[place]
        let goal = "g\(Int.random(in: 0..<3, using: &random))"
        switch Int.random(in: 0..<26, using: &random) {
        case 0..<9: return request(user)
        case 9..<12: return line("preferences_changed", user, "{\"patch\":\(patch(now, Self.zones[place]))}")
        case 12..<15: return startGoal(user, goal, now)
        case 15: return line("checked_in", user, "{\"goal\":\"\(goal)\"}")
        case 16: return line("points_earned", user, "{\"points\":5}")
        case 17: return line("app_opened", user)
        case 18: return line("app_closed", user)
        case 19: return line("session_completed", user)
        case 20:
            return line(
                "message_received", user, "{\"conversation\":\"c1\",\"message\":\"m\(count)\",\"text\":\"help\"}")
        case 21: return line("conversation_opened", user, "{\"conversation\":\"c1\"}")
        case 22: return line("timezone_changed", user, "{\"timezone\":\"\(pick(Self.zones))\",\"keep\":true}")
        case 23: return line("goal_ended", user, "{\"goal\":\"\(goal)\",\"outcome\":\"completed\"}")
        default: return answer(user)
        }
    }

    private mutating func request(_ user: String) -> String {
        let kinds =
            policy == "standard"
            ? ["urgent", "alert", "reminder", "reminder"] : ["achievement", "referee", "payment", "social"]
        var data = "{\"kind\":\"\(pick(kinds))\",\"title\":\"A notice\""
        if Bool.random(using: &random) { data += ",\"priority\":\"\(pick(["critical", "high", "medium", "low"]))\"" }
        return line("notice_requested", user, data + "}")
    }

    /// With a deadline of which one is warned in a few seconds.
    private mutating func startGoal(_ user: String, _ goal: String, _ now: Instant) -> String {
        let minutes = pick([1440, 360, 60] as [Int64])
        let deadline = now.advanced(byMinutes: minutes)
            .advanced(byMilliseconds: Int64.random(in: 200..<5000, using: &random))
        return line(
            "goal_started", user, "{\"goal\":\"\(goal)\",\"title\":\"Run\",\"deadline\":\"\(deadline)\"}")
    }

    /// Check-ins, and ends of quiet hours, in the next minutes where the person is.
    private mutating func patch(_ now: Instant, _ zone: String) -> String {
        let soon = time(now, zone, minutesLater: Int.random(in: 1...2, using: &random))
        let before = time(now, zone, minutesLater: -60)
        return pick([
            "{\"check_in_time\":\"\(soon)\",\"frequency\":\"daily\"}",
            "{\"quiet_hours\":{\"start\":\"\(before)\",\"end\":\"\(soon)\"}}", "{\"quiet_hours\":{\"enabled\":false}}",
            "{\"quiet_hours\":null}", "{\"digest_mode\":true}", "{\"digest_mode\":false}", "{\"enabled\":false}",
            "{\"enabled\":true}", "{\"channels\":{\"push\":false}}", "{\"channels\":{\"push\":true}}",
        ])
    }

    private func time(_ now: Instant, _ zone: String, minutesLater: Int) -> String {
        let seconds = TimeInterval(now.milliseconds / 1000 + Int64(minutesLater * 60))
        let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)) ?? 0
        let minute = (Int(seconds) + offset) / 60 % 1440
        let text = ["\(minute / 60)", "\(minute % 60)"].map { $0.count == 1 ? "0" + $0 : $0 }
        return "\(text[0]):\(text[1])"
    }

    private mutating func answer(_ user: String) -> String {
        guard let job = asked.randomElement(using: &random), let person = job.split(separator: "/").first else {
            return request(user)
        }
        if Int.random(in: 0..<3, using: &random) > 0 {
            return line("notice_opened", String(person), "{\"job\":\"\(job)\"}")
        }
        return line("notice_snoozed", String(person), "{\"job\":\"\(job)\",\"minutes\":15}")
    }

    private mutating func line(_ type: String, _ user: String, _ data: String? = nil) -> String {
        count += 1
        return fact(type, user: user, id: "\(name).\(count)", data: data)
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}

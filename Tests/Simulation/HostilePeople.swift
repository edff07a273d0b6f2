public import CivilTime
public import Notices

/// Somebody who accumulates as much of something as they are let, or whose log, written by an older version, holds far
/// more of it than anybody may have now (`G11`).
public struct HostilePerson: Sendable, CustomStringConvertible {
    public let description: String
    public let policy: String
    /// Facts at their instants, each told to the worker; or recorded in the log as they are, with nobody asked.
    public var told: [(at: Instant, fact: Payload)] = []
    public var recorded: [(at: Instant, fact: Payload)] = []
    /// What they do when they have it all: the first at once, the rest a second later each.
    public var then: [Payload] = []
    /// For how long nobody is awake before that.
    public var asleepHours: Int64 = 0
    /// For how long no worker ran behind what is recorded.
    public var outageHours: Int64 = 0

    public static let user = "mallory"

    init(_ description: String, _ policy: String) {
        self.description = description
        self.policy = policy
    }

    // MARK: Who there is

    /// - Parameter count: of what each has too much of.
    public static func everyKind(_ count: Int) -> [HostilePerson] {
        withoutGoals(count)
            + [
                goals(count), goalsAsleep(count), jobs(count), checkIns(count), points(count), everything(count),
            ] + ofOlderLogs(count)
    }

    /// Those whose life is short.
    public static func withoutGoals(_ count: Int) -> [HostilePerson] {
        [
            held(count), gathered(count), summarized(count), endedGoals(count), conversations(count), sessions(count),
            devices(count), settings(count), snoozes(count),
        ]
    }

    public static func ofOlderLogs(_ count: Int) -> [HostilePerson] {
        waitingInOlderLogs(count) + [
            conversationsInTheLog(count), settingsInTheLog(count), goalsInTheLog(count), devicesInTheLog(count),
            jobsInTheLog(count),
        ]
    }

    public static func waitingInOlderLogs(_ count: Int) -> [HostilePerson] {
        [heldInTheLog(count), raisedInTheLog(count), gatheredInTheLog(count)]
    }

    static func held(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) asked for in quiet hours", "standard")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { request("reminder", about: "item:\($0)") }, at: "2026-03-02T23:00:00Z")
        person.then = [
            patch(#"{"quiet_hours":{"end":"09:00"}}"#), patch(#"{"digest_mode":true}"#),
            patch(#"{"quiet_hours":{"enabled":false}}"#), patch(#"{"enabled":false}"#),
        ]
        return person
    }

    static func gathered(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) gathered for a digest", "standard")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell(patch(#"{"digest_mode":true}"#), at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { request("reminder", about: "item:\($0)") }, at: "2026-03-02T13:00:00Z")
        person.then = [patch(#"{"digest_mode":false}"#), travel("Asia/Tokyo"), patch(#"{"enabled":false}"#)]
        return person
    }

    static func summarized(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) gathered in an overload", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { request("achievement", about: "item:\($0)") }, at: "2026-03-02T13:00:00Z")
        person.asleepHours = 2
        person.then = [patch(#"{"enabled":false}"#)]
        return person
    }

    static func goals(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) goals with reminders every two hours", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { startedGoal($0) }, at: "2026-03-02T12:00:01Z")
        person.tell(
            stride(from: 0, to: min(count, 500), by: 100).map { first in
                let goals = (first..<first + 100).map { #""goal-\#($0)":{"repeat":"every_2_hours"}"# }
                return patch(#"{"goals":{\#(goals.joined(separator: ","))}}"#)
            }, at: "2026-03-02T12:00:02Z")
        person.then =
            [travel("Asia/Tokyo"), patch(#"{"quiet_hours":{"enabled":false}}"#)]
            + (0..<600).map { checkedIn($0 % 500) }
        return person
    }

    static func goalsAsleep(_ count: Int) -> HostilePerson {
        var person = goals(count).named("\(count) goals, and nobody awake for three days")
        person.asleepHours = 72
        return person
    }

    static func endedGoals(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) goals that ended", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell(
            (0..<count).flatMap { [startedGoal($0), endedGoal($0)] }, at: "2026-03-02T12:00:01Z")
        person.then = [patch(#"{"quiet_hours":{"enabled":false}}"#)]
        return person
    }

    static func conversations(_ count: Int) -> HostilePerson {
        var person = HostilePerson("messages in \(count) conversations", "messageai")
        person.tell([enrolled(), consent()], at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { received(in: $0) }, at: "2026-03-02T12:00:01Z")
        person.asleepHours = 1
        person.then = [fact("app_closed", "{}"), fact("session_completed", "{}")]
        return person
    }

    static func sessions(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) conversations that all end at once", "messageai")
        person.tell([enrolled(), consent(), fact("app_opened", "{}")], at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).flatMap { number in (0..<4).map { _ in sent(in: number) } }, at: "2026-03-02T12:00:01Z")
        person.then = [fact("app_closed", "{}"), patch(#"{"enabled":false}"#)]
        return person
    }

    static func devices(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) devices", "standard")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { device($0) }, at: "2026-03-02T12:00:01Z")
        person.then = [patch(#"{"digest_mode":true}"#)]
        return person
    }

    static func settings(_ count: Int) -> HostilePerson {
        var person = HostilePerson("settings of \(count) goals", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell(settingsPatches(count), at: "2026-03-02T12:00:01Z")
        person.then = [patch(#"{"digest_mode":true}"#), patch(#"{"goals":{"goal-1":null}}"#), preset("all")]
        return person
    }

    static func jobs(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) jobs in an hour", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        person.tell((0..<count).map { request("payment", about: "item:\($0)") }, at: "2026-03-02T13:00:00Z")
        person.then = [patch(#"{"enabled":false}"#), request("achievement", about: nil), travel("Asia/Tokyo")]
        return person
    }

    static func snoozes(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) snoozes", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        // A request and what came of it: every other number is a job's.
        person.tell((0..<count).map { _ in request("payment", about: nil) }, at: "2026-03-02T13:00:00Z")
        person.tell((0..<count).map { snoozed("payment/#\(2 + 2 * $0)") }, at: "2026-03-02T13:00:01Z")
        person.asleepHours = 1
        person.then = [patch(#"{"enabled":false}"#)]
        return person
    }

    static func checkIns(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) check-ins", "goals")
        person.tell([enrolled(), startedGoal(0)], at: "2026-03-02T12:00:00Z")
        for number in 0..<count {
            person.tell(
                checkedIn(0), at: Instant(milliseconds: start("2026-03-02T12:00:01Z") + Int64(number) * 60_000))
        }
        person.then = [patch(#"{"digest_mode":true}"#)]
        return person
    }

    static func points(_ count: Int) -> HostilePerson {
        var person = HostilePerson("points of \(count) subjects, minute by minute", "screentime")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        for number in 0..<count {
            person.tell(
                fact("points_earned", #"{"points":1,"subject":"child:\#(number)"}"#),
                at: Instant(milliseconds: start("2026-03-02T12:00:01Z") + Int64(number) * 60_000))
        }
        person.then = [patch(#"{"digest_mode":true}"#)]
        return person
    }

    /// All of it, of one person.
    static func everything(_ count: Int) -> HostilePerson {
        var person = HostilePerson("everything at once, \(count) of each", "goals")
        person.tell(enrolled(), at: "2026-03-02T12:00:00Z")
        for part in [goals(count), settings(count), devices(count)] { person.told += part.told.dropFirst() }
        person.told.sort { $0.at < $1.at }
        person.tell((0..<count).map { request("payment", about: "item:\($0)") }, at: "2026-03-02T13:00:00Z")
        person.tell((0..<count).map { sent(in: $0) }, at: "2026-03-02T13:30:00Z")
        person.tell(
            (0..<count).map { request("achievement", about: "goal:goal-\($0 % 500)") }, at: "2026-03-02T23:00:00Z")
        person.then =
            [patch(#"{"quiet_hours":{"end":"09:00"}}"#), travel("Asia/Tokyo"), patch(#"{"enabled":false}"#)]
            + (0..<200).map { checkedIn($0) }
        return person
    }

    // MARK: Logs of an older version

    static func heldInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) held in the log", "standard")
        person.record([enrolled()], at: "2026-03-02T12:00:00Z")
        person.record(
            (0..<count).flatMap { number in
                [
                    request("reminder", about: "item:\(number)"),
                    held("reminder", "item:\(number)", seq: 2 + 2 * number, until: "2026-03-03T08:00:00Z"),
                ]
            }, at: "2026-03-02T23:00:00Z")
        person.then = [patch(#"{"quiet_hours":{"end":"09:00"}}"#), patch(#"{"digest_mode":true}"#)]
        return person
    }

    /// When the worker comes the quiet hours are over.
    public static func heldOverAnOutage(_ count: Int) -> HostilePerson {
        var person = heldInTheLog(count).named("\(count) held in the log, and all of them due")
        person.outageHours = 10
        return person
    }

    static func raisedInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) asked for in the log and never decided about", "standard")
        person.record([enrolled()], at: "2026-03-02T12:00:00Z")
        person.record((0..<count).map { request("reminder", about: "item:\($0)") }, at: "2026-03-02T23:00:00Z")
        person.then = [patch(#"{"quiet_hours":{"end":"09:00"}}"#)]
        return person
    }

    static func gatheredInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) gathered in the log", "standard")
        person.record([enrolled(), patch(#"{"digest_mode":true}"#)], at: "2026-03-02T12:00:00Z")
        person.record(
            (0..<count).flatMap { number in
                [
                    request("reminder", about: "item:\(number)"),
                    gathered("reminder", "item:\(number)", seq: 3 + 2 * number, into: "daily_digest/2026-03-02T18:00"),
                ]
            }, at: "2026-03-02T13:00:00Z")
        person.asleepHours = 6
        person.then = [patch(#"{"digest_mode":false}"#)]
        return person
    }

    static func conversationsInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("messages in \(count) conversations in the log", "messageai")
        person.record([enrolled(), consent()], at: "2026-03-02T12:00:00Z")
        person.record((0..<count).map { received(in: $0) }, at: "2026-03-02T12:00:01Z")
        person.asleepHours = 1
        person.then = [fact("app_closed", "{}"), fact("session_completed", "{}")]
        return person
    }

    static func settingsInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("settings of \(count) goals in the log", "goals")
        person.record([enrolled()] + settingsPatches(count), at: "2026-03-02T12:00:00Z")
        person.then = [patch(#"{"digest_mode":true}"#), patch(#"{"goals":{"goal-1":null}}"#)]
        return person
    }

    static func goalsInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) goals in the log", "goals")
        person.record([enrolled()] + (0..<count).map { startedGoal($0) }, at: "2026-03-02T12:00:00Z")
        person.then = [patch(#"{"quiet_hours":{"enabled":false}}"#)]
        return person
    }

    static func devicesInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) devices in the log", "standard")
        person.record([enrolled()] + (0..<count).map { device($0) }, at: "2026-03-02T12:00:00Z")
        person.then = [device(0), patch(#"{"digest_mode":true}"#)]
        return person
    }

    static func jobsInTheLog(_ count: Int) -> HostilePerson {
        var person = HostilePerson("\(count) jobs in the log", "goals")
        person.record([enrolled()], at: "2026-03-02T12:00:00Z")
        person.record(
            (0..<count).flatMap { [request("payment", about: nil), job("payment", seq: 2 + 2 * $0)] },
            at: "2026-03-02T13:00:00Z")
        person.then = [patch(#"{"enabled":false}"#), request("achievement", about: nil), travel("Asia/Tokyo")]
        return person
    }
}

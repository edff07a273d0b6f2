import Foundation
import Notices
import Testing

/// 2 March 2026, a Monday, at a time of UTC.
func monday(_ time: String) -> String { "2026-03-02T\(time)Z" }

/// The day after.
func tuesday(_ time: String) -> String { "2026-03-03T\(time)Z" }

/// Histories that several tests look at, each fact with its own instant.
enum Histories {
    /// Anna in Paris, under `standard`. By the numbers that `simulate` gives: alert 2 is sent (3), alert 4 waits for the
    /// cooldown (5) and is sent (6), reminder 8 is gathered (9) and sent in the digest (10), alert 11 waits for the
    /// morning (12).
    static let anna = [
        fact("user_enrolled", at: monday("09:00:00"), data: #"{"timezone":"Europe/Paris","name":"Anna"}"#),
        fact("notice_requested", at: monday("09:30:00"), data: #"{"kind":"alert","title":"Rain"}"#),
        fact("notice_requested", at: monday("09:40:00"), data: #"{"kind":"alert","title":"More rain"}"#),
        fact("preferences_changed", at: monday("11:00:00"), data: #"{"patch":{"digest_mode":true}}"#),
        fact("notice_requested", at: monday("11:30:00"), data: #"{"kind":"reminder","title":"Water"}"#),
        fact("notice_requested", at: monday("21:30:00"), data: #"{"kind":"alert","title":"Storm"}"#),
    ].joined()

    /// Mia in Paris, under `microcommit`: whatever a person can have. Numbered from 2 in a log that begins with the
    /// adoption; the notice of event 5 is sent (6).
    static let mia = [
        mia("user_enrolled", "08:00:00", #"{"timezone":"Europe/Paris","email":"mia@example.com"}"#),
        mia("goal_started", "08:10:00", #"{"goal":"run","title":"Run\n10 km","deadline":"2026-03-06T18:00:00Z"}"#),
        mia("goal_started", "08:11:00", #"{"goal":"read","title":"Read"}"#),
        mia("notice_requested", "09:00:00", #"{"kind":"referee","data":{"subtype":"comment"}}"#),
        mia("notice_snoozed", "09:01:00", #"{"job":"mia/referee/#5","minutes":60}"#),
        mia("preset_applied", "09:02:00", #"{"preset":"minimal"}"#),
        mia("preferences_changed", "09:03:00", #"{"patch":{"kinds":{"achievement":{"enabled":true}}}}"#),
        mia("timezone_changed", "09:04:00", #"{"timezone":"America/New_York","keep":true}"#),
        mia("phone_verification_requested", "09:05:00", #"{"phone":"+33612345678"}"#),
        mia("phone_code_entered", "09:05:10", #"{"code":"345678"}"#),
        mia("push_permission_changed", "09:06:00", #"{"status":"denied"}"#),
        mia("checked_in", "09:07:00", #"{"goal":"run"}"#),
        mia("goal_ended", "09:08:00", #"{"goal":"read","outcome":"completed"}"#),
        mia("consent_given", "09:09:00", #"{"by":"guardian"}"#),
    ].joined()

    /// The files of `events/stories`.
    static let stories: [String] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../events/stories").standardizedFileURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        precondition(!names.isEmpty, "no stories in \(folder.path)")
        return names.filter { $0.hasSuffix(".jsonl") && !$0.hasSuffix(".expected.jsonl") }.sorted()
            .map { folder.appending(path: $0).path }
    }()

    private static func mia(_ type: String, _ time: String, _ data: String) -> String {
        fact(type, user: "mia", at: monday(time), data: data)
    }
}

/// People of these numbers begin.
func enrolled(_ numbers: ClosedRange<Int>) -> String {
    numbers.map { fact("user_enrolled", user: "u\($0)", data: #"{"timezone":"\#(Noon.zone)"}"#) }.joined()
}

extension Shell {
    /// A fact that adopts a shipped policy.
    func adoption(of policy: String, at: String) -> String {
        let document = belfry("policy", "show", policy, "--json").lines.first ?? ""
        return fact("policy_adopted", user: nil, at: at, data: #"{"policy":\#(document)}"#)
    }

    /// A story's facts behind a fact that adopts its policy, and that policy's name.
    func story(_ path: String) throws -> (history: String, policy: String) {
        let name = try #require(path.split(separator: "/").last)
        let policy = ["coachme", "messageai", "microcommit", "screentime"].first(where: name.hasPrefix) ?? "standard"
        let facts = try String(contentsOfFile: path, encoding: .utf8)
        let first = try #require(facts.firstMatch(of: #/"at":"([^"]+)"/#)).1
        // The adoption is number 1, so that every number a fact names is one more.
        let moved = facts.replacing(#/\/#([0-9]+)/#) { "/#\((Int($0.1) ?? 0) + 1)" }
        return (adoption(of: policy, at: String(first)) + moved, policy)
    }

    /// Takes a directory away, to begin anew.
    func forget(_ name: String) { try? remove(name) }

    /// Makes a log of a history; warnings are all it may complain of.
    func importing(_ history: String, policy: String = "standard", until: String? = nil) {
        let outcome = belfry(
            ["import", "-", "--policy", policy] + (until.map { ["--until", $0] } ?? []), input: Array(history.utf8))
        #expect(outcome.code == 0)
        let isWarning = { (line: String) in
            line.contains(#","warning":"#) || line.hasPrefix("note: each kind of warning is told once")
        }
        #expect(outcome.errorLines.allSatisfy { isWarning(String($0)) }, "\(outcome.errors)")
    }
}

extension Outcome {
    /// Its only line, which is JSON.
    func json() throws -> Printed {
        #expect(lines.count == 1)
        return try Printed(line(0))
    }
}

/// JSON that a command printed, looked into by paths such as `waiting.0.notice`.
struct Printed {
    private let value: JSONValue

    init(_ line: String) throws { value = try #require(JSONValue(parsing: line), "\(line) is not JSON") }

    /// A text as it is, anything else as its JSON; `nil` where there is nothing.
    subscript(path: String) -> String? {
        guard let found = find(path) else { return nil }
        if case .string(let text) = found { return text }
        return found.text
    }

    /// All of it, as it is written shortest.
    var text: String { value.text }

    /// The keys of an object in their order, an empty path's of the whole.
    func keys(_ path: String = "") -> [String] {
        guard case .object(let members) = find(path) else { return [] }
        return members.map(\.key)
    }

    /// How many elements a list has; 0 where there is no list.
    func count(_ path: String) -> Int {
        guard case .array(let elements) = find(path) else { return 0 }
        return elements.count
    }

    private func find(_ path: String) -> JSONValue? {
        var found: JSONValue? = value
        for part in path.split(separator: ".") {
            if case .array(let elements) = found {
                found = Int(part).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                found = found?[String(part)]
            }
        }
        return found
    }
}

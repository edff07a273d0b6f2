import Foundation
import Testing

@Suite("belfry doctor")
struct DoctorTests {
    let shell = Shell()
    private static let checks = ["tz database", "clock", "disk", "log", "libraries"]

    private func checks(_ outcome: Outcome) -> [String] {
        outcome.lines.map { String($0.dropFirst(6).prefix(12)).trimmingCharacters(in: .whitespaces) }
    }

    @Test func `on a machine that is well, all is ok, and nothing is left behind`() {
        let outcome = shell.belfry("doctor")
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(checks(outcome) == Self.checks)
        #expect(outcome.lines.allSatisfy { $0.hasPrefix("ok    ") })
        #expect(outcome.line(0).contains("version 20"))
        #expect(outcome.line(3).hasSuffix("events/log is not there yet; `belfry append` makes it"))
        #expect(shell.names(in: ".") == [])
    }

    @Test func `it says what the log holds`() throws {
        try shell.writeLog(events: 1...30, people: 4, segmentBytes: 600)
        let before = shell.names(in: "events/log")
        let outcome = shell.belfry("doctor")
        #expect(outcome.code == 0)
        #expect(outcome.line(3).contains("events/log: 30 events about 4 people in \(before.count - 2) files"))
        #expect(shell.names(in: "events/log") == before)
    }

    @Test func `for machines it is one object a line`() throws {
        let outcome = shell.belfry("doctor", "--json")
        #expect((outcome.code, outcome.errors) == (0, ""))
        struct Finding: Decodable {
            var check: String
            var ok: Bool
            var detail: String
        }
        let findings = try outcome.lines.map { try JSONDecoder().decode(Finding.self, from: Data($0.utf8)) }
        #expect(findings.map(\.check) == Self.checks)
        #expect(findings.allSatisfy { $0.ok && !$0.detail.isEmpty })
    }

    @Test(arguments: ["/nonexistent", "", "/proc", "/etc/hostname"])
    func `without a tz database it says no, and what to install`(directory: String) {
        let settings = ["TZDIR": directory]
        let outcome = shell.belfry("doctor", environment: settings)
        #expect(outcome.code == 1)
        #expect(outcome.errors == "belfry: needs attention: tz database\n")
        #expect(outcome.line(0) == "FAIL  tz database  no tz database at \(directory): install the tzdata package.")
        #expect(outcome.lines.dropFirst().allSatisfy { $0.hasPrefix("ok    ") })
        let json = shell.belfry("doctor", "--json", environment: settings)
        #expect(json.line(0).hasPrefix(#"{"check":"tz database","ok":false,"detail":"#))
        #expect(
            shell.belfry("append", input: fact(), environment: settings)
                == .failed(5, "no tz database at \(directory): install the tzdata package."))
    }

    @Test func `a tz database without the names that browsers still send is told, and what to install`() {
        #expect(shell.bash("cp -r /usr/share/zoneinfo zones && rm -f zones/Asia/Calcutta").code == 0)
        let outcome = shell.belfry("doctor", environment: ["TZDIR": shell.path("zones")])
        #expect((outcome.code, outcome.errors) == (1, "belfry: needs attention: tz database\n"))
        #expect(
            outcome.line(0).hasSuffix(
                "lacks names that browsers send, such as Asia/Calcutta: install the tzdata-legacy package"))
    }

    @Test func `a log of the future means a clock that is wrong`() throws {
        try shell.writeLog(events: 1...1, start: .farFuture)
        let outcome = shell.belfry("doctor")
        #expect(outcome.code == 1)
        #expect(outcome.errors == "belfry: needs attention: clock\n")
        #expect(outcome.line(1).hasSuffix("until then recorded time stands still"))
    }

    @Test func `beside a busy writer the clock is not taken for wrong`() {
        let storm = shell.start(["events/log", "2", "100000"], of: .storm)
        #expect(storm.line() != nil)
        for _ in 1...8 {
            let outcome = shell.belfry("doctor")
            #expect(outcome.code == 0, "\(outcome)")
        }
        storm.send(signal: SIGKILL)
    }

    @Test func `what is no log is named`() throws {
        try shell.makeDirectory("photos")
        try shell.write("hello", to: "photos/cat.jpg")
        let outcome = shell.belfry("doctor", "--data", "photos")
        #expect(outcome.code == 1)
        #expect(outcome.errors == "belfry: needs attention: log\n")
        #expect(outcome.line(3).contains("cat.jpg"))
        #expect(shell.names(in: "photos") == ["cat.jpg"])
    }
}

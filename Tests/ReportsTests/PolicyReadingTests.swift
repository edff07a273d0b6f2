import Notices
import Reports
import Testing

@Suite("Policies in sentences (V1)")
struct PolicyReadingTests {
    private func reading(_ name: String) throws -> PolicyReading {
        PolicyReading(try Policy(recorded: try #require(ShippedPolicies.text(of: name))))
    }

    @Test func `standard says what it promises to everybody`() throws {
        #expect(
            try reading("standard").sentences == [
                "A person gets at most 3 jobs a local day.",
                "Two notices of one kind come at least 30 minutes apart.",
                "Quiet hours are 22:00–08:00 unless a person chooses others; only critical notices pass.",
                "Check-ins come at 09:00 on Mondays, Wednesdays and Fridays unless a person chooses otherwise.",
                "Slots within 15 minutes share one job where their kind bundles.",
                "A slot that is handled late still fires within 4 hours, and is skipped after that.",
                "A person can snooze a notice for 15, 60 or 120 minutes, 3 times at most.",
            ])
    }

    @Test func `a kind says when it comes, where to, and what stands in its way`() throws {
        let kinds = try reading("standard").kinds
        #expect(kinds.map(\.name).prefix(3) == ["urgent", "alert", "reminder"])
        let reminder = try #require(kinds.first { $0.name == "reminder" })
        #expect(reminder.sentence == "Comes when the app asks for it, by push.")
        #expect(
            reminder.rules == [
                "In quiet hours it waits for their end.", "Over the day's limit it goes into the digest.",
                "In digest mode it waits for the digest.", "A person can have it in a daily or weekly digest.",
                "Several at once share a job.",
            ])
        let digest = try #require(kinds.first { $0.name == "daily_digest" })
        #expect(digest.sentence == "Comes every day at 18:00 and lists what was gathered, by push.")
        let urgent = try #require(kinds.first { $0.name == "urgent" })
        #expect(urgent.rules.contains("Neither quiet hours nor the day's limit hold it back."))
    }

    @Test func `a warning that becomes critical says from when on`() throws {
        let warning = try #require(try reading("microcommit").kinds.first { $0.name == "deadline_warning" })
        #expect(warning.rules.contains { $0.hasPrefix("From 60 minutes before on it is critical: ") })
    }

    @Test func `a locked kind says so, and what of it is not`() throws {
        let payment = try #require(try reading("microcommit").kinds.first { $0.name == "payment" })
        #expect(payment.sentence == "Comes when the app asks for it, by push and email.")
        #expect(
            payment.rules.first
                == "A person cannot switch it off, and neither quiet hours nor the day's limit hold it back.")
        #expect(payment.rules.last == "Off unless switched on: Payment reminder.")
        #expect(payment.rules.contains("It always goes by push and email."))
        #expect(payment.rules.contains("Its parts can be switched by themselves: Payment reminder."))
        #expect(payment.rules.contains("Always on: Payment successful; Payment failed; Refund processed."))
    }

    @Test(arguments: ShippedPolicies.names)
    func `every shipped policy can be read aloud`(name: String) throws {
        let reading = try reading(name)
        for sentence in reading.sentences + reading.kinds.flatMap({ [$0.sentence] + $0.rules }) {
            #expect(sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
        }
        let text = try #require(ShippedPolicies.text(of: name))
        let report = try #require(PolicyReport(text: text, adopted: nil).document)
        #expect(report["kinds"]?.text.contains("\"sentence\"") == true)
    }

    @Test func `a document that may not be adopted is told with every problem and its path`() throws {
        let text = #"{"name":"x","daily_cap":3,"kinds":[{"name":"a"},{"name":"critical","on_request":true}]}"#
        let check = PolicyCheckReport(of: text, zoneProblem: { _ in nil })
        #expect(check.problems.map(\.path) == ["kinds[0].schedule", "kinds[1].name"])
        #expect(check.document["ok"] == .bool(false))
        let good = PolicyCheckReport(of: ShippedPolicies.text(of: "standard") ?? "", zoneProblem: { _ in nil })
        #expect(good.document.text == #"{"ok":true,"problems":[],"warnings":[]}"#)
        #expect(!PolicyCheckReport(of: "{", zoneProblem: { _ in nil }).problems.isEmpty)
    }
}

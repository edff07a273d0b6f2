import Audit
import CivilTime
import Journal
import Notices
import Sealing
import Simulation
import Worker

/// A worker on a disk whose logs have seals, two people with all that can be told of anybody, and what becomes of them.
final class ErasedLife {
    let machine: SimulatedMachine

    /// Whatever may be found nowhere once Anna is erased. Bob's are his. Long enough that random bytes do not hold them.
    static let secrets = [
        "annalena", "Zweig", "example.com", "33612345678", "33687654321", "TOKEN-OF-ANNA", "Lose weight",
        "zorro-sender",
        "fact-of-hers", "Come at once", "a body of hers", "value-of-hers", "https://avatar.of/hers", "Lea of hers",
        "550 unknown",
        "provider-of-hers", "her-own-word", "part-of-hers",
    ]

    private let policy: String

    init(seed: UInt64 = 1, policy: String = "standard") {
        self.policy = policy
        machine = SimulatedMachine(
            ShippedPlans[policy], at: instant("2026-03-02T09:00:00Z"), seed: seed,
            keeper: { LogKeys(.own) })
    }

    /// Of Anna everything; of Bob a little.
    static let facts: [(String, String)] = [
        (
            "annalena",
            #""type":"user_enrolled","id":"fact-of-hers","data":{"timezone":"Europe/Paris","email":"anna@example.com","phone":"+33612345678","name":"Zweig"}"#
        ),
        ("bobolink", #""type":"user_enrolled","id":"fact-of-bobs","data":{"timezone":"Europe/Paris","name":"Bob"}"#),
        ("annalena", #""type":"push_permission_changed","data":{"status":"granted"}"#),
        ("annalena", #""type":"device_registered","data":{"device":"d1","platform":"ios","token":"TOKEN-OF-ANNA"}"#),
        ("annalena", #""type":"phone_verification_requested","data":{"phone":"+33687654321"}"#),
        ("annalena", #""type":"contact_changed","data":{"phone":"+33687654321"}"#),
        ("annalena", #""type":"subject_named","data":{"subject":"child:1","title":"Lea of hers"}"#),
        (
            "annalena",
            #""type":"goal_started","data":{"goal":"g","title":"Lose weight","deadline":"2026-03-09T12:00:00Z"}"#
        ),
        (
            "annalena",
            #""type":"message_received","data":{"conversation":"c","message":"m","sender":"zorro-sender","avatar":"https://avatar.of/hers","text":"a blocker, help"}"#
        ),
        ("annalena", #""type":"preferences_changed","data":{"patch":{"priority_keywords":["her-own-word"]}}"#),
        (
            "annalena",
            #""type":"notice_requested","data":{"kind":"alert","title":"Come at once","body":"a body of hers","data":{"link":"value-of-hers","subtype":"part-of-hers"}}"#
        ),
        ("bobolink", #""type":"notice_requested","data":{"kind":"alert","title":"Rain over Bob"}"#),
        ("annalena", #""type":"notice_requested","data":{"kind":"reminder","title":"Come at once, again"}"#),
        ("annalena", #""type":"job_delivered","data":{"job":"JOB","channel":"push","provider_id":"provider-of-hers"}"#),
        (
            "annalena",
            #""type":"delivery_reported","data":{"job":"JOB","channel":"push","status":"failed","code":"550 unknown"}"#
        ),
    ]

    private let reader = FactReader(zoneProblem: { _ in nil })

    /// Tells a fact at the machine's instant; `nil` where nobody answered any more.
    @discardableResult
    func tell(_ user: String, _ fact: String) throws -> FactReceipt? {
        try tell(reader.read("{\"user\":\"\(user)\",\(fact)}"))
    }

    @discardableResult
    func tell(_ fact: Fact, isOwn: Bool = false) throws -> FactReceipt? {
        var receipt: FactReceipt?
        let answered = HeardReceipt()
        machine.core?.ask(facts: [fact], isOwn: isOwn) { result in answered.keep(try? result.get().first) }
        machine.settle()
        receipt = answered.receipt
        machine.clock = machine.clock.advanced(bySeconds: 60)
        return receipt
    }

    /// Both live, until a minute after the last fact.
    /// - Parameter retention: what the policy's document says of it.
    func live(under retention: String? = nil) throws {
        machine.start()
        if let retention { try adopt(retention) }
        for (user, fact) in Self.facts {
            let job = try fact.contains("JOB") ? herJob() : ""
            try tell(user, fact.replacing("JOB", with: job))
        }
    }

    /// Adopts the policy once more, with a retention.
    func adopt(_ retention: String) throws {
        let document = (ShippedPolicies.text(of: policy) ?? "").drop { $0 != "{" }.dropFirst()
        try tell(
            reader.read("{\"type\":\"policy_adopted\",\"data\":{\"policy\":{\"retention\":\(retention),\(document)}}"))
    }

    private func herJob() throws -> String {
        for event in try machine.commits().joined() where event.user == "annalena" {
            if case .jobEmitted(let job) = event.payload { return job.job.text }
        }
        return "none"
    }

    @discardableResult
    func erase(_ user: String) throws -> FactReceipt? {
        try tell(Fact(user: user, payload: .personErased(PersonErased())))
    }

    /// Takes a snapshot beside whoever writes, as a program of its own does.
    func takeSnapshot(_ plan: Plan = ShippedPlans["standard"]) throws {
        _ = try SnapshotTaking(SimulatedMachine.directory, on: machine.disk, .standard(ShippedPlans.zones)).run()
    }

    /// The secrets that stand in any file, in the clear.
    func found(_ secrets: [String] = ErasedLife.secrets) throws -> [String] {
        let names = try machine.disk.list(SimulatedMachine.directory)
        return secrets.flatMap { secret in
            names.filter { name in
                machine.disk.contents("\(SimulatedMachine.directory)/\(name)")?.holds(Array(secret.utf8)) ?? false
            }.map { "\(secret) in \($0)" }
        }
    }

    /// What a reader with the keys makes of the log.
    func readable(_ secrets: [String] = ErasedLife.secrets) throws -> [String] {
        var text = ByteBuffer()
        for event in try machine.commits().joined() where event.user != "bobolink" { event.writeJSON(into: &text) }
        let bytes = Array(text.bytes)
        return secrets.filter { bytes.holds(Array($0.utf8)) }
    }

    /// The kinds of the policy that an app may ask for.
    var kindsOnRequest: [String] {
        ShippedPlans[policy].rules.kinds.filter(\.isOnRequest).map(\.name.text)
    }

    /// What the judge finds, with everything due up to the machine's instant decided.
    func audit() throws -> AuditReport {
        let text = ShippedPolicies.text(of: policy)
        var auditor = Auditor(policy: text.map { JSONDocument(trusted: $0) }) {
            try? ShippedPlans.zones.zone(named: $0)
        }
        for event in try machine.commits().joined() { auditor.take(event) }
        return auditor.finish()
    }

    func replay() throws -> Replay {
        var replay = Replay(ShippedPlans[policy])
        for commit in try machine.commits() { replay.take(commit) }
        return replay
    }
}

private final class HeardReceipt: @unchecked Sendable {
    private(set) var receipt: FactReceipt?
    func keep(_ receipt: FactReceipt?) { self.receipt = receipt }
}

func instant(_ text: String) -> Instant {
    do { return try Instant(rfc3339: text) } catch { preconditionFailure("\(text) is no instant") }
}

extension [UInt8] {
    func holds(_ other: [UInt8]) -> Bool {
        guard let first = other.first, count >= other.count else { return false }
        return withUnsafeBufferPointer { bytes in
            for start in 0...(count - other.count) where bytes[start] == first {
                if bytes[start..<start + other.count].elementsEqual(other) { return true }
            }
            return false
        }
    }
}

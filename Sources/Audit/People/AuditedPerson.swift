internal import CivilTime
internal import Notices

/// What the judge knows of one person, folded from the facts.
struct AuditedPerson {
    let id: String
    /// When the first fact about them was recorded.
    let knownSince: Instant
    /// As they or their app said; `nil` where nobody did.
    var zoneName: String?
    /// When they came there.
    var zoneSince = Instant.distantPast
    /// When their preferences changed last.
    var wishesSince = Instant.distantPast
    /// The last that the tz database knows.
    var lastKnownZone: String?
    var whereabouts = Whereabouts()
    var isMinor = false
    /// When something came from them last.
    var heardAt: Instant
    /// Nothing comes after that (`E3`).
    var isErased = false
    var consents: Set<ConsentGiver> = []
    var reach = Reach()
    /// When they themselves last switched mail on again.
    var emailWantedAt = Instant.distantPast
    var presence = Presence()
    var progress = Progress()
    var conversations = Conversations()
    var messages = MessageCauses()
    /// Points that were earned and that no digest has told of (D1), by subject and by the local day they were earned on.
    var points: [String: [LocalDate: Int]] = [:]
    var hasPoints: Bool { !points.isEmpty }
    var jobs = JobHistory()
    var unseen = Unseen()
    var notices = NoticeLedger()
    var milestones = Auditor.Milestones()
    /// The last fact about the person: a forced run reaches as far as the next one.
    var lastFactSeq: UInt64 = 0
    /// What was due by then was decided before it (T10).
    var lastFactAt = Instant.distantPast
    /// How many sessions there had been when the permission prompt last went out, and at the last "not now" (S4).
    var sessionsAtPrompt: Int?
    var sessionsAtNotNow = 0
    /// Their own preferences document: only what differs from the defaults.
    private(set) var document: JSONTree?
    /// What follows from it, and the policy it follows from.
    private var wishes: (policy: Int, Wishes)?

    /// How many with this id were erased before them.
    let life: Int
    /// No id has a space.
    var idOfLife: String { life == 0 ? id : "\(id) \(life)" }

    init(id: String, since: Instant, life: Int = 0) {
        self.id = id
        self.life = life
        knownSince = since
        heardAt = since
    }

    mutating func patch(_ patch: JSONTree, under policy: PolicyDocument) {
        document = (document ?? .object([:])).merged(with: patch).stored(under: policy, saidYes: reach.saidYes)
        wishes = nil
    }

    mutating func resetPreferences() {
        document = nil
        wishes = nil
    }

    /// Saying yes for the first time turns check-ins on, whatever their switch was left at before. Who puts it off having answered
    /// has answered all the same (S4).
    mutating func permissionChanged(to status: PermissionStatus, turnsCheckInsOn: Bool) {
        if status == .notNow, let answer = reach.permission, answer != .notNow { return }
        if turnsCheckInsOn, status != .notNow, !reach.saidYes {
            document = document?.merged(with: .object(["check_ins_enabled": .null]))
        }
        reach.permissionChanged(to: status)
        if status == .notNow { sessionsAtNotNow = progress.sessions }
        wishes = nil
    }

    mutating func wishes(under policy: PolicyDocument, number: Int) -> Wishes {
        if let wishes, wishes.policy == number { return wishes.1 }
        let read = Wishes(own: document, policy: policy, saidYes: reach.saidYes)
        wishes = (number, read)
        return read
    }

    /// Whose consent P3 asks for; `nil` for nobody's.
    func consentNeeded(_ consent: PolicyDocument.Consent) -> ConsentGiver? {
        switch consent {
        case .none: nil
        case .guardianForMinors: isMinor ? .guardian : nil
        case .person: isMinor ? .guardian : .user
        }
    }
}

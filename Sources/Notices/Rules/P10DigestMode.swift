/// `P10`: the person wants one digest instead, of everything that can wait or of this kind.
enum P10DigestMode: Rule {
    static var number: Int { 10 }
    static var name: StaticString { "digest_mode" }

    static func objection(to matter: Matter) -> Objection? {
        matter.digestWanted.map { .gather(.digestMode, $0) }
    }

    static func sight(of matter: Matter) -> String {
        let wish = matter.preferences.kinds[matter.notice.kind].digest
        let mode =
            "digest_mode is \(matter.preferences.digestMode), \(matter.kind.name) is "
            + (matter.kind.isDigestible ? "digestible" : "not digestible")
        return wish == .none ? mode : "kinds.\(matter.kind.name).digest is \(wish.rawValue); \(mode)"
    }
}

extension Matter {
    /// Which digest it waits for. What is wished for a kind holds whatever the digest mode.
    fileprivate var digestWanted: DigestScope? {
        switch preferences.kinds[notice.kind].digest {
        case .weekly where plan.weeklyDigest != nil: .weekly
        case .daily where plan.dailyDigest != nil: .daily
        default: preferences.digestMode && kind.isDigestible && plan.dailyDigest != nil ? .daily : nil
        }
    }
}

/// `P10`: the person wants one digest instead.
enum P10DigestMode: Rule {
    static var number: Int { 10 }
    static var name: StaticString { "digest_mode" }

    static func objection(to matter: Matter) -> Objection? {
        guard matter.preferences.digestMode, matter.kind.isDigestible, matter.plan.dailyDigest != nil
        else { return nil }
        return .gather(.digestMode)
    }

    static func sight(of matter: Matter) -> String {
        "digest_mode is \(matter.preferences.digestMode), \(matter.kind.name) is "
            + (matter.kind.isDigestible ? "digestible" : "not digestible")
    }
}

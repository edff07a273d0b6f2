extension Rule {
    /// `P10`: the person wants one digest instead.
    static let digestMode = Rule(
        number: 10, name: "digest_mode",
        objection: { matter in
            guard matter.preferences.digestMode, matter.kind.isDigestible, matter.plan.dailyDigest != nil
            else { return nil }
            return .gather(.digestMode)
        },
        sight: { matter in
            "digest_mode is \(matter.preferences.digestMode), \(matter.kind.name) is "
                + (matter.kind.isDigestible ? "digestible" : "not digestible")
        })
}

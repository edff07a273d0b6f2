extension Rule {
    /// `P3`: nobody is reached without the consent the policy asks for.
    static let consent = Rule(
        number: 3, name: "no_consent",
        objection: { matter in
            matter.needsConsent && !matter.person.hasConsent ? .drop(.noConsent) : nil
        },
        sight: { matter in
            guard matter.needsConsent else { return "no consent is asked for" }
            let giver = matter.person.flags.contains(.minor) ? "the guardian's consent" : "the person's consent"
            return giver + (matter.person.hasConsent ? " was given" : " is missing")
        })
}

extension Matter {
    fileprivate var needsConsent: Bool {
        switch plan.policy.consent {
        case .none: false
        case .guardianForMinors: person.flags.contains(.minor)
        case .person: true
        }
    }
}

/// `P3`: nobody is reached without the consent the policy asks for.
enum P3Consent: Rule {
    static var number: Int { 3 }
    static var name: StaticString { "no_consent" }

    static func objection(to matter: Matter) -> Objection? {
        matter.needsConsent && !matter.person.hasConsent ? .drop(.noConsent) : nil
    }

    static func sight(of matter: Matter) -> String {
        guard matter.needsConsent else { return "no consent is asked for" }
        let giver = matter.person.flags.contains(.minor) ? "the guardian's consent" : "the person's consent"
        return giver + (matter.person.hasConsent ? " was given" : " is missing")
    }
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

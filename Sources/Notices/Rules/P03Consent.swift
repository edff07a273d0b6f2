/// `P3`: nobody is reached without the consent the policy asks for.
enum P3Consent: Rule {
    static var number: Int { 3 }
    static var name: StaticString { "no_consent" }

    static func objection(to matter: Matter) -> Objection? {
        matter.person.lacksConsent(matter.plan) ? .drop(.noConsent) : nil
    }

    static func sight(of matter: Matter) -> String {
        guard matter.person.needsConsent(matter.plan) else { return "no consent is asked for" }
        let giver = matter.person.flags.contains(.minor) ? "the guardian's consent" : "the person's consent"
        return giver + (matter.person.hasConsent ? " was given" : " is missing")
    }
}

extension Person {
    func lacksConsent(_ plan: Plan) -> Bool { needsConsent(plan) && !hasConsent }

    fileprivate func needsConsent(_ plan: Plan) -> Bool {
        switch plan.policy.consent {
        case .none: false
        case .guardianForMinors: flags.contains(.minor)
        case .person: true
        }
    }
}

/// `P1`: its time has passed.
enum P1Expired: Rule {
    static var number: Int { 1 }
    static var name: StaticString { "expired" }

    static func objection(to matter: Matter) -> Objection? {
        guard let expiry = matter.notice.content?.expiresAt, expiry <= matter.now else { return nil }
        return .drop(.expired)
    }

    static func sight(of matter: Matter) -> String {
        matter.notice.content?.expiresAt.map { "expires at \($0)" } ?? "never expires"
    }
}

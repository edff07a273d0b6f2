extension Rule {
    /// `P1`: its time has passed.
    static let expired = Rule(
        number: 1, name: "expired",
        objection: { matter in
            guard let expiry = matter.notice.content?.expiresAt, expiry <= matter.now else { return nil }
            return .drop(.expired)
        },
        sight: { matter in matter.notice.content?.expiresAt.map { "expires at \($0)" } ?? "never expires" })
}

internal import CivilTime

/// The one access token that all calls of a sender show, and who waits for it: without clock and network.
struct AccessTokens<Caller> {
    enum Action {
        /// Show this one.
        case use(String)
        /// Ask the provider for one, and answer with `came`; the caller waits.
        case ask
        /// Somebody has asked; the caller waits.
        case wait
    }

    private var current: (text: String, end: Instant)?
    private var isAsking = false
    private var waiting: [Caller] = []

    /// One that ends sooner is asked for anew, so that none ends on its way.
    private static var marginMinutes: Int64 { 5 }
    private static var lifeHoursMax: Int64 { 24 }

    /// - Parameter refused: a token that the provider no longer takes; another caller may have renewed it since.
    mutating func action(for caller: Caller, refused: String?, at now: Instant) -> Action {
        if let current, current.text != refused, now < current.end.advanced(byMinutes: -Self.marginMinutes),
            current.end <= now.advanced(byHours: Self.lifeHoursMax)
        {
            return .use(current.text)
        }
        waiting.append(caller)
        defer { isAsking = true }
        return isAsking ? .wait : .ask
    }

    /// The provider has answered, or not. Gives back everybody who waits.
    mutating func came(_ token: (text: String, seconds: Int)?, at now: Instant) -> [Caller] {
        isAsking = false
        current = token.map { ($0.text, now.advanced(bySeconds: Int64(min(max($0.seconds, 0), 86_400)))) }
        defer { waiting = [] }
        return waiting
    }
}

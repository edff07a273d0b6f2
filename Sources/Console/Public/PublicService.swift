/// What the public door asks of the worker: what providers report, and links that stop mails. The composition fills it in.
///
/// Replies may come later and from any thread, each exactly once.
public struct PublicService: Sendable {
    /// What became of a provider's report.
    public enum Hearing: Sendable, Equatable {
        /// It is recorded, or there was nothing to record.
        case taken
        case unknownProvider
        /// It is not the provider's, or not what the provider sends.
        case refused(String)
        /// It is the provider's, and something in it is wrong: nothing of it was recorded.
        case wrong(String)
        case unable(Inability)
    }

    /// What became of a link that was followed.
    public enum Stopping: Sendable, Equatable {
        /// It was recorded; or whom it was made for is not there any more, and gets no mails.
        case stopped
        /// It says too little to tell whom it was made for.
        case tooOld
        case unable(Inability)
    }

    /// What a link stops.
    public struct StopOffer: Sendable, Equatable {
        /// What people call the kind of mail; `nil` for all of them.
        public var kind: String?

        public init(kind: String?) { self.kind = kind }
    }

    /// How a link was followed.
    public enum StopWish: Sendable, Equatable {
        /// A mail program did it for the person (RFC 8058).
        case oneClick
        /// The person, on the page: what the link is for.
        case asOffered
        /// The person, on the page of a link for one kind: all email (`N6`).
        case allEmail
    }

    /// Whether reports of a provider are taken. Of others no body is kept.
    public var takesReports: @Sendable (_ provider: String) -> Bool
    public var hear: @Sendable (_ provider: String, HTTPRequest, @escaping @Sendable (Hearing) -> Void) -> Void
    /// `nil` for a link that is none of ours.
    public var offer: @Sendable (_ token: String) -> StopOffer?
    /// Stops them.
    public var stop: @Sendable (_ token: String, StopWish, @escaping @Sendable (Stopping) -> Void) -> Void

    public init(
        takesReports: @escaping @Sendable (_ provider: String) -> Bool,
        hear: @escaping @Sendable (_ provider: String, HTTPRequest, @escaping @Sendable (Hearing) -> Void) -> Void,
        offer: @escaping @Sendable (_ token: String) -> StopOffer?,
        stop:
            @escaping @Sendable (
                _ token: String, StopWish, @escaping @Sendable (Stopping) -> Void
            ) -> Void
    ) {
        self.takesReports = takesReports
        self.hear = hear
        self.offer = offer
        self.stop = stop
    }
}

public import CivilTime
public import Journal
internal import Notices

/// The policy that a log adopted last, as the log holds it.
public struct AdoptedPolicy: Sendable {
    public let seq: UInt64
    public let at: Instant
    public let text: String

    /// - Parameter places: of the commits about nobody in particular, oldest first; the newest that can be read counts.
    ///   `nil` where none of them adopted a policy.
    public init?(_ log: LogReader, among places: [UInt64]) throws(JournalError) {
        for place in places.reversed() {
            let found = try log.withCommit(at: place) { (frame) throws(JournalError) -> AdoptedPolicy? in
                do { return try Self.newest(in: frame) } catch {
                    throw .damaged(Damage(log.directory, "position \(place): \(error)"))
                }
            }
            if let found {
                self = found
                return
            }
        }
        return nil
    }

    private init(seq: UInt64, at: Instant, text: String) { (self.seq, self.at, self.text) = (seq, at, text) }

    private static func newest(in frame: Frame) throws -> AdoptedPolicy? {
        var body = CommitBody(frame)
        var newest: AdoptedPolicy?
        while let item = try body.next() {
            guard case .event(let raw) = item, raw.typeNumber == PolicyAdopted.type.number,
                case .policyAdopted(let adopted)? = try raw.decoded(),
                (try? Policy(recorded: adopted.policy.text)) != nil
            else { continue }
            newest = AdoptedPolicy(seq: raw.seq, at: raw.at, text: adopted.policy.text)
        }
        return newest
    }
}

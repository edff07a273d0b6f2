/// The channels that somebody stopped for a kind (`N6`), beside what their preferences say.
///
/// Preferences hold only what differs from the policy. Where a kind begins with push alone, "no mail of this kind" is no
/// difference; but mail may come in place of a push that failed (`N4`), and has a link to stop it.
public struct StoppedChannels: Sendable, Equatable {
    /// By its name, for it outlives policies.
    public var kind: String
    public var channels: ChannelSet
}

extension Person {
    /// What they stopped for a kind, and have not spoken of since.
    func stopped(_ kind: String) -> ChannelSet {
        guard hasDetails, !details.stopped.isEmpty else { return [] }
        return details.stopped.first { $0.kind == kind }?.channels ?? []
    }

    func stop(_ channels: ChannelSet, of kind: String) {
        guard !channels.isEmpty, !channels.isSubset(of: stopped(kind)) else { return }
        if let place = details.stopped.firstIndex(where: { $0.kind == kind }) {
            details.stopped[place].channels.formUnion(channels)
        } else {
            details.stopped.append(StoppedChannels(kind: kind, channels: channels))
        }
    }

    /// A channel that they put back, for the kind or for a goal of theirs, is not stopped any more; `null` puts all back.
    ///
    /// - Parameter on: the channels that they switch on again for everything: of no kind are these stopped any more.
    func forgetStops(putBackBy patch: JSONValue, _ on: ChannelSet) {
        guard hasDetails, !details.stopped.isEmpty else { return }
        let ofGoals = patch["goals"]?.members.map(\.value) ?? []
        let parts = ([patch] + ofGoals).compactMap { $0["kinds"] }
        for place in details.stopped.indices {
            let kind = details.stopped[place].kind
            for part in parts { details.stopped[place].channels.subtract(part.channelsPutBack(of: kind)) }
            details.stopped[place].channels.subtract(on)
        }
        details.stopped.removeAll { $0.channels.isEmpty }
    }
}

extension JSONValue {
    /// Of the settings of kinds in a patch: the channels that one kind is to come on.
    fileprivate func channelsPutBack(of kind: String) -> ChannelSet {
        guard self != .null else { return .ringing }
        guard let own = self[kind] else { return [] }
        guard own != .null, let channels = own["channels"] else { return own == .null ? .ringing : [] }
        guard channels != .null else { return .ringing }
        let named = channels.elements?.compactMap { $0.string.flatMap { Channel(name: $0) } } ?? []
        return named.reduce(into: []) { $0.insert(ChannelSet($1)) }
    }
}

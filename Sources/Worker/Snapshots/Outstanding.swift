public import Journal
public import Notices

/// The jobs that were emitted and have no outcome yet: what a worker sends when it starts (SPEC §11, `G5`).
///
/// A fold of the log. 128 bits of keyed hash stand for a job and whose it is, so that a million of them are 50 MB; that
/// two are taken for one another is as likely as that a key is guessed.
public struct Outstanding: Sendable, Equatable {
    public typealias Place = EventPlace

    private struct Key: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }

    private let hashes: (high: KeyHash, low: KeyHash)
    private var places: [Key: Place] = [:]

    /// - Parameter identity: the log's, which the hashes are keyed with.
    public init(_ identity: LogIdentity) {
        let (first, second) = identity.words
        hashes = (KeyHash(words: (first, second)), KeyHash(words: (second ^ 0xA5A5_A5A5_A5A5_A5A5, ~first)))
    }

    public var count: Int { places.count }

    /// In the order in which they were emitted.
    public var inOrder: [Place] { places.values.sorted { $0.seq < $1.seq } }

    public mutating func take(_ event: Event, at position: UInt64) {
        switch event.payload {
        case .jobEmitted(let job): places[key(job.job, event.user)] = Place(position: position, seq: event.seq)
        case .jobDelivered(let outcome): places[key(outcome.job, event.user)] = nil
        case .jobFailed(let outcome): places[key(outcome.job, event.user)] = nil
        default: break
        }
    }

    /// An outcome that somebody else's app reports is none of this person's job.
    private func key(_ job: NoticeName, _ user: String?) -> Key {
        var text = (user ?? "") + "\n" + job.text
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            return Key(high: hashes.high(bytes), low: hashes.low(bytes))
        }
    }

    public static func == (left: Outstanding, right: Outstanding) -> Bool {
        left.hashes == right.hashes && left.places == right.places
    }
}

// MARK: In a snapshot

extension Outstanding {
    /// Four numbers a job, in the order in which they were emitted.
    var numbers: [UInt64] {
        places.sorted { $0.value.seq < $1.value.seq }
            .flatMap { [$0.key.high, $0.key.low, $0.value.position, $0.value.seq] }
    }

    /// `nil` for numbers that are no list of jobs as of `head`.
    init?(_ identity: LogIdentity, numbers: [UInt64], as head: LogHead) {
        guard numbers.count % 4 == 0 else { return nil }
        self.init(identity)
        places.reserveCapacity(numbers.count / 4)
        for at in stride(from: 0, to: numbers.count, by: 4) {
            let place = Place(position: numbers[at + 2], seq: numbers[at + 3])
            guard place.position < head.position, place.seq <= head.lastSeq else { return nil }
            places[Key(high: numbers[at], low: numbers[at + 1])] = place
        }
        guard places.count * 4 == numbers.count else { return nil }
    }
}

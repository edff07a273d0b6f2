public import Journal
public import Notices

/// The jobs that were emitted and have no outcome yet: what a worker sends when it starts (SPEC §11, `G5`).
///
/// A job is outstanding until each of its channels has an outcome, and again when somebody asked that what failed of it be
/// sent once more (`N7`). Then its place is that of the asking: the job is found from there (`RetriedJobs`).
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
    private var jobs: [Key: Job] = [:]

    private struct Job: Sendable, Equatable {
        var place: Place
        var remaining: ChannelSet
        /// Whose it is, by the log's number.
        var person: UInt32
        var isRetry = false

        /// How it stands, in the upper byte of its number in a snapshot: no log has so many events.
        var marks: UInt64 { UInt64(remaining.rawValue | (isRetry ? Self.retryMark : 0)) << Outstanding.markBits }
        static let retryMark: UInt8 = 0x80
    }

    private static let markBits: UInt64 = 56

    /// - Parameter identity: the log's, which the hashes are keyed with.
    public init(_ identity: LogIdentity) {
        let (first, second) = identity.words
        hashes = (KeyHash(words: (first, second)), KeyHash(words: (second ^ 0xA5A5_A5A5_A5A5_A5A5, ~first)))
    }

    public var count: Int { jobs.count }

    /// In the order in which they were emitted.
    public var inOrder: [Place] {
        sorted.filter { !$0.value.isRetry }.map { job in
            var place = job.value.place
            place.channels = job.value.remaining
            return place
        }
    }

    /// Where it was asked for those that are to be sent once more, in that order.
    public var retries: [Place] { sorted.filter(\.value.isRetry).map(\.value.place) }

    private var sorted: [(key: Key, value: Job)] { jobs.sorted { $0.value.place.seq < $1.value.place.seq } }

    /// - Parameter person: the log's number of whom the event is about.
    public mutating func take(_ event: Event, about person: Int?, at position: UInt64) {
        let person = UInt32(truncatingIfNeeded: person ?? -1)
        let place = Place(position: position, seq: event.seq)
        switch event.payload {
        case .jobEmitted(let job):
            jobs[key(job.job, event.user)] = Job(
                place: place, remaining: ChannelSet(job.channels), person: person)
        case .jobDelivered(let outcome): end(outcome.job, outcome.channel, event.user)
        case .jobFailed(let outcome): end(outcome.job, outcome.channel, event.user)
        case .jobRetryRequested(let request):
            jobs[key(request.job, event.user)] = Job(
                place: place, remaining: [], person: person, isRetry: true)
        // Nothing more is sent to somebody who was erased (`E1`).
        case .personErased: jobs = jobs.filter { $0.value.person != person }
        default: break
        }
    }

    private mutating func end(_ job: NoticeName, _ channel: Channel, _ user: String?) {
        if jobs.isEmpty { return }
        let key = key(job, user)
        guard var known = jobs[key] else { return }
        known.remaining.remove(ChannelSet(channel))
        jobs[key] = known.remaining.isEmpty ? nil : known
    }

    /// An outcome that somebody else's app reports is none of this person's job.
    private func key(_ job: NoticeName, _ user: String?) -> Key {
        var (user, job) = (user ?? "", job.text)
        return user.withUTF8 { user in
            job.withUTF8 { job in
                withUnsafeTemporaryAllocation(byteCount: user.count + 1 + job.count, alignment: 1) { text in
                    text.copyMemory(from: UnsafeRawBufferPointer(user))
                    text[user.count] = UInt8(ascii: "\n")
                    UnsafeMutableRawBufferPointer(rebasing: text[(user.count + 1)...])
                        .copyMemory(from: UnsafeRawBufferPointer(job))
                    let bytes = UnsafeRawBufferPointer(text)
                    return Key(high: hashes.high(bytes), low: hashes.low(bytes))
                }
            }
        }
    }

    public static func == (left: Outstanding, right: Outstanding) -> Bool {
        left.hashes == right.hashes && left.jobs == right.jobs
    }
}

// MARK: In a snapshot

extension Outstanding {
    /// Five numbers a job, in the order in which they were emitted.
    var numbers: [UInt64] {
        sorted.flatMap {
            [
                $0.key.high, $0.key.low, $0.value.place.position, $0.value.place.seq | $0.value.marks,
                UInt64($0.value.person),
            ]
        }
    }

    /// `nil` for numbers that are no list of jobs as of `head`.
    init?(_ identity: LogIdentity, numbers: [UInt64], as head: LogHead) {
        guard numbers.count % 5 == 0 else { return nil }
        self.init(identity)
        jobs.reserveCapacity(numbers.count / 5)
        for at in stride(from: 0, to: numbers.count, by: 5) {
            let marks = UInt8(numbers[at + 3] >> Self.markBits)
            let place = Place(position: numbers[at + 2], seq: numbers[at + 3] & (1 << Self.markBits - 1))
            guard place.position < head.position, place.seq <= head.lastSeq else { return nil }
            jobs[Key(high: numbers[at], low: numbers[at + 1])] = Job(
                place: place, remaining: ChannelSet(rawValue: marks & ~Job.retryMark),
                person: UInt32(truncatingIfNeeded: numbers[at + 4]),
                isRetry: marks & Job.retryMark != 0)
        }
        guard jobs.count * 5 == numbers.count else { return nil }
    }
}

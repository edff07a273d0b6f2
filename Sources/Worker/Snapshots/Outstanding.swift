public import Journal
public import Notices

/// The jobs that were emitted and have no outcome yet: what a worker sends when it starts (SPEC §11, `G5`).
///
/// A job is outstanding until each of its channels has an outcome, and again when somebody asked that what failed of it be
/// sent once more (`N7`). Then its place is that of the asking: the job is found from there (`FailedJobPlaces`). Beside that a
/// provider's report may say that the job is to be tried on another channel (`N4`): from there until one of those has an
/// outcome. The job may still be outstanding on its own channels.
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
    /// Those that go another way, by the places of the reports.
    private var ways: [Key: Job] = [:]

    private struct Job: Sendable, Equatable {
        var place: Place
        var remaining: ChannelSet
        /// Whose it is, by the log's number.
        var person: UInt32
        var isRetry = false

        /// How it stands, in the upper byte of its number in a snapshot: no log has so many events.
        var marks: UInt64 { UInt64(remaining.rawValue | (isRetry ? Self.retryMark : 0)) << Outstanding.markBits }
        static let retryMark: UInt8 = 0x80
        static let wayMark: UInt8 = 0x40
    }

    private static let markBits: UInt64 = 56

    /// - Parameter identity: the log's, which the hashes are keyed with.
    public init(_ identity: LogIdentity) {
        let (first, second) = identity.words
        hashes = (KeyHash(words: (first, second)), KeyHash(words: (second ^ 0xA5A5_A5A5_A5A5_A5A5, ~first)))
    }

    public var count: Int { jobs.count + ways.count }

    /// In the order in which they were emitted.
    public var inOrder: [Place] {
        sorted.filter { !$0.value.isRetry }.map { job in
            var place = job.value.place
            place.channels = job.value.remaining
            return place
        }
    }

    /// Where it was asked for those that are to be sent once more, and where it was reported of those that go another way, in
    /// that order.
    public var found: [Place] {
        (sorted.filter(\.value.isRetry) + Self.sorted(ways)).map(\.value.place).sorted { $0.seq < $1.seq }
    }

    private var sorted: [(key: Key, value: Job)] { Self.sorted(jobs) }

    private static func sorted(_ jobs: [Key: Job]) -> [(key: Key, value: Job)] {
        jobs.sorted { $0.value.place.seq < $1.value.place.seq }
    }

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
        case .deliveryReported(let report) where !report.givesWayTo.isEmpty:
            ways[key(report.job, event.user)] = Job(
                place: place, remaining: ChannelSet(report.givesWayTo), person: person)
        // Nothing more is sent to somebody who was erased (`E1`).
        case .personErased:
            jobs = jobs.filter { $0.value.person != person }
            ways = ways.filter { $0.value.person != person }
        default: break
        }
    }

    /// Takes in those of other people.
    mutating func add(_ others: Outstanding) {
        jobs.merge(others.jobs) { _, other in other }
        ways.merge(others.ways) { _, other in other }
    }

    private mutating func end(_ job: NoticeName, _ channel: Channel, _ user: String?) {
        if jobs.isEmpty, ways.isEmpty { return }
        let key = key(job, user)
        // What came of all of them is told together.
        if let way = ways[key], way.remaining.contains(ChannelSet(channel)) { ways[key] = nil }
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
        left.hashes == right.hashes && left.jobs == right.jobs && left.ways == right.ways
    }
}

// MARK: In a snapshot

extension Outstanding {
    /// Five numbers a job, in the order in which they were emitted; then those that go another way.
    var numbers: [UInt64] {
        let wayMarks = UInt64(Job.wayMark) << Self.markBits
        return sorted.flatMap { Self.numbers($0.key, $0.value) }
            + Self.sorted(ways).flatMap { Self.numbers($0.key, $0.value, wayMarks) }
    }

    private static func numbers(_ key: Key, _ job: Job, _ marks: UInt64 = 0) -> [UInt64] {
        [key.high, key.low, job.place.position, job.place.seq | job.marks | marks, UInt64(job.person)]
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
            let key = Key(high: numbers[at], low: numbers[at + 1])
            let job = Job(
                place: place, remaining: ChannelSet(rawValue: marks & ~(Job.retryMark | Job.wayMark)),
                person: UInt32(truncatingIfNeeded: numbers[at + 4]),
                isRetry: marks & Job.retryMark != 0)
            if marks & Job.wayMark == 0 { jobs[key] = job } else { ways[key] = job }
        }
        guard count * 5 == numbers.count else { return nil }
    }
}

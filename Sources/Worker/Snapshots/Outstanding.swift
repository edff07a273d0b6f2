public import Journal
public import Notices

/// The jobs that were emitted and have no outcome yet: what a worker sends when it starts (SPEC §11, `G5`).
///
/// A job is outstanding until each of its channels has an outcome. Beside that somebody may have asked that what failed of it be
/// sent once more (`N7`): from there until each of those channels has an outcome; its place is then that of the asking, and the
/// job is found from there (`FailedJobPlaces`). And a provider's report may say that the job is to be tried on another channel
/// (`N4`): from there until one of those has an outcome. All three may be so at once.
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
    /// Those that are to be sent once more, by the places of the asking.
    private var retries: [Key: Job] = [:]
    /// Those that go another way, by the places of the reports.
    private var ways: [Key: Job] = [:]

    private struct Job: Sendable, Equatable {
        var place: Place
        var remaining: ChannelSet
        /// Whose it is, by the log's number.
        var person: UInt32
        var isRetry = false

        var placeOnRemaining: Place {
            var place = place
            place.channels = remaining
            return place
        }

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

    public var count: Int { jobs.count + retries.count + ways.count }

    /// In the order in which they were emitted.
    public var inOrder: [Place] {
        Self.sorted(jobs).map(\.value.placeOnRemaining)
    }

    /// Where it was asked for those that are to be sent once more, and where it was reported of those that go another way, in
    /// that order.
    public var found: [Place] {
        (retries.values.map(\.placeOnRemaining) + ways.values.map(\.place)).sorted { $0.seq < $1.seq }
    }

    private static func sorted(_ jobs: [Key: Job]) -> [(key: Key, value: Job)] {
        jobs.sorted { $0.value.place.seq < $1.value.place.seq }
    }

    /// - Parameters:
    ///   - person: the log's number of whom the event is about.
    ///   - again: the channels that a job is to be sent on once more, of an event that asks for it.
    public mutating func take(_ event: Event, about person: Int?, at position: UInt64, again: ChannelSet = []) {
        let person = UInt32(truncatingIfNeeded: person ?? -1)
        let place = Place(position: position, seq: event.seq)
        switch event.payload {
        case .jobEmitted(let job):
            jobs[key(job.job, event.user)] = Job(
                place: place, remaining: ChannelSet(job.channels), person: person)
        case .jobDelivered(let outcome): end(outcome.job, outcome.channel, event.user)
        case .jobFailed(let outcome) where outcome.isUntried == true:
            forgetWhatWasToCome(key(outcome.job, event.user), outcome.channel)
        case .jobFailed(let outcome): end(outcome.job, outcome.channel, event.user)
        case .jobRetryRequested(let request):
            retries[key(request.job, event.user)] = Job(
                place: place, remaining: again, person: person, isRetry: true)
        case .deliveryReported(let report) where !report.givesWayTo.isEmpty:
            ways[key(report.job, event.user)] = Job(
                place: place, remaining: ChannelSet(report.givesWayTo), person: person)
        // Nothing more is sent to somebody who was erased (`E1`).
        case .personErased:
            jobs = jobs.filter { $0.value.person != person }
            retries = retries.filter { $0.value.person != person }
            ways = ways.filter { $0.value.person != person }
        default: break
        }
    }

    /// Takes in those of other people.
    mutating func add(_ others: Outstanding) {
        jobs.merge(others.jobs) { _, other in other }
        retries.merge(others.retries) { _, other in other }
        ways.merge(others.ways) { _, other in other }
    }

    private mutating func end(_ job: NoticeName, _ channel: Channel, _ user: String?) {
        if count == 0 { return }
        let key = key(job, user)
        // What came of all of them is told together.
        if let way = ways[key], way.remaining.contains(ChannelSet(channel)) { ways[key] = nil }
        Self.end(key, channel, in: &jobs)
        Self.end(key, channel, in: &retries)
    }

    /// There was nothing to send: neither once more nor another way. What the job itself is still to go out on stays to come.
    private mutating func forgetWhatWasToCome(_ key: Key, _ channel: Channel) {
        if let way = ways[key], way.remaining.contains(ChannelSet(channel)) {
            ways[key] = nil
        } else {
            retries[key] = nil
        }
    }

    private static func end(_ key: Key, _ channel: Channel, in jobs: inout [Key: Job]) {
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
        left.hashes == right.hashes && left.jobs == right.jobs && left.retries == right.retries
            && left.ways == right.ways
    }
}

// MARK: In a snapshot

extension Outstanding {
    /// Five numbers a job, in the order in which they were emitted; then those that are sent once more or go another way.
    var numbers: [UInt64] {
        let wayMarks = UInt64(Job.wayMark) << Self.markBits
        return Self.sorted(jobs).flatMap { Self.numbers($0.key, $0.value) }
            + Self.sorted(retries).flatMap { Self.numbers($0.key, $0.value) }
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
            switch (marks & Job.wayMark != 0, job.isRetry) {
            case (true, _): ways[key] = job
            case (false, true): retries[key] = job
            case (false, false): jobs[key] = job
            }
        }
        guard count * 5 == numbers.count else { return nil }
    }
}

public import CivilTime
public import Notices

/// One delivery order, as the log holds it (SPEC §11): what every sink is given.
public struct Order: Sendable, Equatable {
    public let seq: UInt64
    public let at: Instant
    public let user: String?
    /// The trace of the fact that it was decided because of (`N11`).
    public let trace: TraceParent?
    public let job: JobEmitted
    /// Of its commit in the log.
    public let position: UInt64
    /// The channels that it is for, where a sink of the senders' document is given a part of the job: the rest may come to it, too.
    private(set) var part: String?
    /// What stops mails like it, where a sink is given one (`N6`).
    var stopLink: String?

    /// `nil` for an event that orders nothing.
    public init?(_ event: Event, at position: UInt64 = 0) {
        guard case .jobEmitted(let job) = event.payload else { return nil }
        seq = event.seq
        at = event.at
        self.position = position
        user = event.user
        trace = event.trace
        self.job = job
    }

    /// What became of it: nobody's where its person was erased meanwhile, although somebody new may have their id (`E4`).
    func fact(_ payload: Payload) -> Fact {
        var fact = Fact(user: user, payload: payload)
        fact.addressee = .known(at: at)
        return fact
    }

    /// The JSON that `log` prints for this event, without a line end: the same bytes whenever the job is handed out.
    /// Written anew each time it is asked for, since senders never ask.
    public var line: [UInt8] {
        var buffer = ByteBuffer(capacity: 1024)
        Event(seq: seq, at: at, user: user, trace: trace, payload: .jobEmitted(job)).writeJSON(into: &buffer)
        return Array(buffer.bytes)
    }

    /// About what it takes to keep.
    var extent: Int {
        let texts = job.title.text.utf8.count + job.body.text.utf8.count
        let data = job.data.entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.text.utf8.count }
        return 512 + texts + data + 64 * (job.notices.count + job.data.entries.count)
    }

    public var place: JobPlace { JobPlace(position: position, seq: seq) }

    /// The same order for some of its channels alone; the others are somebody else's.
    func limited(to channels: [Channel]) -> Order {
        guard channels != job.channels else { return self }
        var job = job
        job.channels = channels
        return Order(Event(seq: seq, at: at, user: user, trace: trace, payload: .jobEmitted(job)), at: position) ?? self
    }

    /// The same, known by them: whoever takes the rest as well has two orders and not one twice.
    func part(for channels: [Channel]) -> Order {
        guard channels != job.channels else { return self }
        var part = limited(to: channels)
        part.part = channels.map(\.name).joined(separator: "+")
        return part
    }

    /// By which whoever is given it knows that it has it.
    var key: String { part.map { "\(id)@\($0)" } ?? id }

    /// What a line of the worker's own log says of it, so that it is found from the trace and the other way round (`N11`).
    /// Nor does it say who the person is: lines are kept where nobody can be erased from them (`E1`).
    var logged: [(String, String)] {
        [("seq", "\(seq)"), ("job", nameless)] + (trace.map { [("traceparent", $0.text)] } ?? [])
    }

    /// The job's id, which is its idempotency key at every provider.
    public var id: String { job.job.text }

    /// The id without its person.
    public var nameless: String { String(id.drop { $0 != "/" }.dropFirst()) }

    /// Whether its person was erased since: nobody can read any more what it said.
    var isErased: Bool { user.map(Erased.holds) ?? false }

    /// After this instant it is never sent (`too_late`).
    /// At once too late where its words are erased: it waited for so long.
    public var notAfter: Instant? { job.tellsErased ? at : job.notAfter }
}

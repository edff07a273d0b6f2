internal import CivilTime

/// What waits of a log that is about to be another worker's, or is, and is not begun here any more.
struct HeldJobs {
    let positions: Range<UInt64>
    /// Whether another worker has it, or may have.
    var isElsewhere = false
    /// By their carriers.
    var parcels: [Int: [Retry]] = [:]
    var unsorted: [Unsorted] = []
    /// What was handed over since.
    var places: [JobPlace] = []
    /// How many outcomes have to be in the logs for all of this one's to be; known once none of its jobs is under way.
    var recorded: Int?
    /// What became of jobs that were under way when the log went.
    var words: [Outbox.Word] = []

    var slots: Set<UInt32> { Set(parcels.values.joined().map(\.parcel.slot)).union(unsorted.map(\.slot)) }

    /// Those of which it is so wait no longer.
    mutating func letGo(of slots: Set<UInt32>) {
        parcels = parcels.mapValues { $0.filter { !slots.contains($0.parcel.slot) } }.filter { !$0.value.isEmpty }
        unsorted.removeAll { slots.contains($0.slot) }
    }
}

// A log of several goes to another worker when nothing of it is under way here: whoever has it next hands out all that has no
// outcome in it, so that an answer that came later would be of a job that goes out twice. One that is lost goes at once: what
// comes of its jobs here is kept, and told to the log if it comes back and nobody has told it.
extension DeliveryPlan {
    /// Begins nothing more of what a log holds at these positions, until it is `forget` or `resume`.
    public mutating func hold(_ positions: Range<UInt64>) {
        guard heldPlace(positions) == nil else { return }
        var log = HeldJobs(positions: positions)
        gather(&log)
        held.insert(log, at: held.firstIndex { positions.lowerBound < $0.positions.lowerBound } ?? held.count)
    }

    /// Takes all that waits of it out of the lanes.
    private mutating func gather(_ log: inout HeldJobs) {
        let positions = log.positions
        for carrier in lanes.indices {
            let waiting = lanes[carrier].take { [jobs] in positions.contains(jobs[$0.slot].position) }
            if !waiting.isEmpty { log.parcels[carrier, default: []] += waiting }
        }
        log.unsorted += unsorted.take { positions.contains($0.place.position) }
    }

    /// Whether nothing of a log that is held is under way, and every outcome is in it.
    public mutating func isAtRest(_ positions: Range<UInt64>) -> Bool {
        guard let place = heldPlace(positions) else { return true }
        guard !isUnderWay(in: positions) else { return false }
        let recorded = held[place].recorded ?? outbox.appended
        held[place].recorded = recorded
        return outbox.recorded >= recorded
    }

    /// Another worker has the log, or may have: what waits here is handed out there, and nothing more of it is begun here before it
    /// came back (`came`). What is under way nevertheless goes on.
    public mutating func forget(_ positions: Range<UInt64>) {
        guard let place = heldPlace(positions) else { return }
        held[place].isElsewhere = true
        held[place].places = []
        held[place].words += outbox.takeBack(positions)
        letGoOfIdle(in: place)
    }

    /// Something that was under way of a log has come to its end, or is to be tried again.
    mutating func cameToRest(_ position: UInt64) {
        if let place = heldLog(position), held[place].isElsewhere { letGoOfIdle(in: place) }
    }

    /// Of jobs of which nothing is under way the log itself says, should it come back, whether they have their outcome.
    private mutating func letGoOfIdle(in place: Int) {
        // What was tried meanwhile and is to be tried again has gone back into its lane.
        var log = held[place]
        gather(&log)
        held[place] = log
        let idle = held[place].slots.subtracting(busySlots)
        held[place].letGo(of: idle)
        for slot in idle { jobs.remove(slot) }
    }

    /// The log stays here.
    public mutating func resume(_ positions: Range<UInt64>) {
        guard let place = heldPlace(positions), !held[place].isElsewhere else { return }
        let log = held.remove(at: place)
        for (carrier, parcels) in log.parcels { for retry in parcels { lanes[carrier].pause(retry) } }
        for job in log.unsorted { unsorted.append(job) }
        handOver(log.places)
    }

    /// The log was opened here, and these have no outcome in it. What of them was under way when the log went goes on as it is, and
    /// what came of it meanwhile is told to the log; what somebody else has told it of is let go of. Gives what does not wait here.
    public mutating func came(_ positions: Range<UInt64>, with places: [JobPlace]) -> [JobPlace] {
        guard let place = heldPlace(positions), held[place].isElsewhere else { return jobs.missing(of: places) }
        var log = held.remove(at: place)
        gather(&log)
        let errands = Set(places.map(\.errand))
        for (attempt, slot) in inFlight where positions.contains(jobs[slot].position) {
            if !errands.contains(jobs[slot].errand) { sentElsewhere.insert(attempt) }
        }
        let slots = log.slots
        guard !slots.isEmpty || !log.words.isEmpty else { return jobs.missing(of: places) }
        let awaited = Dictionary(places.map { ($0.ofAllChannels, [$0]) }, uniquingKeysWith: +)
        drop(slots.filter { !errands.contains(jobs[$0].errand) }, of: &log)
        for (carrier, parcels) in log.parcels { for retry in parcels { lanes[carrier].pause(retry) } }
        for job in log.unsorted { unsorted.append(job) }
        let words = log.words.filter { isAwaited($0, among: awaited) }
        words.forEach { tell($0) }
        return jobs.missing(of: places, besides: words)
    }

    /// Whether the log has no outcome of what it says.
    private func isAwaited(_ word: Outbox.Word, among awaited: [JobPlace: [JobPlace]]) -> Bool {
        let left = awaited[word.place] ?? []
        return word.channels.isEmpty
            ? !left.isEmpty
            : left.contains { $0.channels.isEmpty || !$0.channels.isDisjoint(with: word.channels) }
    }

    /// Somebody else has sent them.
    private mutating func drop(_ slots: Set<UInt32>, of log: inout HeldJobs) {
        let busy = busySlots
        for parcel in log.parcels.values.joined().map(\.parcel)
        where slots.contains(parcel.slot) && busy.contains(parcel.slot) {
            letGo(parcel)
        }
        // A part that was to give way to another channel.
        for job in log.unsorted where slots.contains(job.slot) && busy.contains(job.slot) { _ = jobs.finish(job.slot) }
        log.letGo(of: slots)
        for slot in slots.subtracting(busy) { jobs.remove(slot) }
    }

    /// Nothing more is done about it, and nothing said.
    mutating func letGo(_ parcel: Parcel) {
        if jobs.end(parcel, .moved) != nil { _ = jobs.finish(parcel.slot) }
    }

    /// The jobs of a log that are here, or whose outcome is on its way into it.
    func goingOn(in positions: Range<UInt64>) -> Set<JobPlace> {
        jobs.places(in: positions).union(outbox.words(in: positions).map(\.place))
    }

    private var busySlots: Set<UInt32> { Set(inFlight.values).union(beingSorted.map(\.slot)) }

    private func isUnderWay(in positions: Range<UInt64>) -> Bool {
        inFlight.values.contains { positions.contains(jobs[$0].position) }
            || beingSorted.contains { positions.contains(jobs[$0.slot].position) }
    }

    /// What comes to a log that is held joins what waits of it. To one that is elsewhere nothing comes that is not in it.
    mutating func keepBack(_ place: JobPlace) -> Bool {
        guard let log = heldLog(place.position) else { return false }
        if !held[log].isElsewhere { held[log].places.append(place) }
        return true
    }

    mutating func keepBack(_ job: Unsorted) -> Bool {
        guard let log = heldLog(job.place.position) else { return false }
        held[log].unsorted.append(job)
        if held[log].isElsewhere { letGoOfIdle(in: log) }
        return true
    }

    mutating func keepBack(_ parcel: Parcel, _ tries: Tries, _ carrier: Int) -> Bool {
        guard let log = heldLog(jobs[parcel.slot].position) else { return false }
        held[log].parcels[carrier, default: []].append(Retry(due: .distantPast, parcel: parcel, tries: tries))
        if held[log].isElsewhere { letGoOfIdle(in: log) }
        return true
    }

    private func heldPlace(_ positions: Range<UInt64>) -> Int? {
        heldLog(positions.lowerBound).flatMap { held[$0].positions == positions ? $0 : nil }
    }

    /// They stand in the order of their positions.
    func heldLog(_ position: UInt64) -> Int? {
        var (first, end) = (0, held.count)
        while first < end {
            let middle = (first + end) / 2
            if held[middle].positions.upperBound <= position { first = middle + 1 } else { end = middle }
        }
        return first < held.count && held[first].positions.contains(position) ? first : nil
    }
}

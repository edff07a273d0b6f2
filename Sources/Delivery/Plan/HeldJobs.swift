internal import CivilTime

/// What waits of a log that is about to be another worker's, and is not begun here any more.
struct HeldJobs {
    let positions: Range<UInt64>
    /// By their carriers.
    var parcels: [Int: [Retry]] = [:]
    var unsorted: [Unsorted] = []
    /// What was handed over since.
    var places: [JobPlace] = []
    /// How many outcomes have to be in the logs for all of this one's to be; known once none of its jobs is under way.
    var recorded: Int?
}

// A log of several goes to another worker when nothing of it is under way here: whoever has it next hands out all that has no
// outcome in it, so that an answer that came later would be of a job that goes out twice.
extension DeliveryPlan {
    /// Begins nothing more of what a log holds at these positions, until it is `forget` or `resume`.
    public mutating func hold(_ positions: Range<UInt64>) {
        guard !held.contains(where: { $0.positions == positions }) else { return }
        var log = HeldJobs(positions: positions)
        gather(&log)
        held.append(log)
    }

    /// Takes all that waits of it out of the lanes.
    private mutating func gather(_ log: inout HeldJobs) {
        let positions = log.positions
        for carrier in lanes.indices {
            let waiting = lanes[carrier].take { [jobs] in positions.contains(jobs[$0.slot].position) }
            log.parcels[carrier, default: []] += waiting
        }
        log.unsorted += unsorted.take { positions.contains($0.place.position) }
    }

    /// Whether nothing of a log that is held is under way, and every outcome is in it.
    public mutating func isAtRest(_ positions: Range<UInt64>) -> Bool {
        guard let place = held.firstIndex(where: { $0.positions == positions }) else { return true }
        guard !isUnderWay(in: positions) else { return false }
        let recorded = held[place].recorded ?? outbox.appended
        held[place].recorded = recorded
        return outbox.recorded >= recorded
    }

    /// Another worker has the log: what waits here is handed out there. What is under way nevertheless goes on, as far as the log
    /// can be read.
    public mutating func forget(_ positions: Range<UInt64>) {
        guard let place = held.firstIndex(where: { $0.positions == positions }) else { return }
        var log = held.remove(at: place)
        // What was tried meanwhile and is to be tried again has gone back into its lane.
        gather(&log)
        let busy = Set(inFlight.values).union(beingSorted.map(\.slot))
        for (carrier, parcels) in log.parcels {
            for retry in parcels where busy.contains(retry.parcel.slot) { lanes[carrier].pause(retry) }
        }
        for job in log.unsorted where busy.contains(job.slot) { unsorted.append(job) }
        let slots = Set(log.parcels.values.joined().map(\.parcel.slot)).union(log.unsorted.map(\.slot))
        for slot in slots.subtracting(busy) { jobs.remove(slot) }
    }

    /// The log stays here.
    public mutating func resume(_ positions: Range<UInt64>) {
        guard let place = held.firstIndex(where: { $0.positions == positions }) else { return }
        let log = held.remove(at: place)
        for (carrier, parcels) in log.parcels { for retry in parcels { lanes[carrier].pause(retry) } }
        for job in log.unsorted { unsorted.append(job) }
        handOver(log.places)
    }

    private func isUnderWay(in positions: Range<UInt64>) -> Bool {
        inFlight.values.contains { positions.contains(jobs[$0].position) }
            || beingSorted.contains { positions.contains(jobs[$0.slot].position) }
    }

    /// What comes to a log that is held joins what waits of it.
    mutating func keepBack(_ place: JobPlace) -> Bool {
        guard let log = heldLog(place.position) else { return false }
        held[log].places.append(place)
        return true
    }

    mutating func keepBack(_ job: Unsorted) -> Bool {
        guard let log = heldLog(job.place.position) else { return false }
        held[log].unsorted.append(job)
        return true
    }

    mutating func keepBack(_ parcel: Parcel, _ tries: Tries, _ carrier: Int) -> Bool {
        guard let log = heldLog(jobs[parcel.slot].position) else { return false }
        held[log].parcels[carrier, default: []].append(Retry(due: .distantPast, parcel: parcel, tries: tries))
        return true
    }

    private func heldLog(_ position: UInt64) -> Int? {
        held.isEmpty ? nil : held.firstIndex { $0.positions.contains(position) }
    }
}

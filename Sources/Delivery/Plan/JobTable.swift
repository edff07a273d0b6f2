/// What a sink did with a job in the end.
enum SinkResult: Equatable {
    case taken(providerID: String?)
    case failed(reason: String)
}

/// The jobs that some sink is not done with: 24 bytes each, and a little more once a first sink is done.
struct JobTable {
    private struct Job {
        var place: JobPlace
        var sinksLeft: UInt8
        /// It could not be read for some sink, and nothing can be said of it: it ends without an outcome.
        var isForgotten = false
    }

    private let sinks: UInt8
    private var jobs: [Job] = []
    private var free: [UInt32] = []
    private var results: [UInt32: [(sink: Int, result: SinkResult)]] = [:]

    init(sinks: Int) {
        precondition(sinks > 0 && sinks < 256, "jobs for \(sinks) sinks")
        self.sinks = UInt8(sinks)
    }

    var count: Int { jobs.count - free.count }

    subscript(slot: UInt32) -> JobPlace { jobs[Int(slot)].place }

    mutating func insert(_ place: JobPlace) -> UInt32 {
        let job = Job(place: place, sinksLeft: sinks)
        if let slot = free.popLast() {
            jobs[Int(slot)] = job
            return slot
        }
        jobs.append(job)
        return UInt32(jobs.count - 1)
    }

    /// A sink is done with a job. Answers what all of them did with it, in their order, when it was the last.
    mutating func end(_ slot: UInt32, sink: Int, _ result: SinkResult) -> [SinkResult]? {
        results[slot, default: []].append((sink, result))
        return leave(slot)
    }

    /// A sink cannot be given this job.
    mutating func forget(_ slot: UInt32) {
        jobs[Int(slot)].isForgotten = true
        _ = leave(slot)
    }

    private mutating func leave(_ slot: UInt32) -> [SinkResult]? {
        jobs[Int(slot)].sinksLeft -= 1
        guard jobs[Int(slot)].sinksLeft == 0 else { return nil }
        let all = (results.removeValue(forKey: slot) ?? []).sorted { $0.sink < $1.sink }.map(\.result)
        let isForgotten = jobs[Int(slot)].isForgotten
        free.append(slot)
        // After a great wave the memory is given back.
        if count == 0 { (jobs, free) = ([], []) }
        return isForgotten ? nil : all
    }
}

/// Says once that a sink does not take jobs, and once that it does again; each job's own fate is in the log of facts.
struct SinkComplaint {
    let sink: String
    private var failures = 0

    init(sink: String) { self.sink = sink }

    /// What there is to say, if anything.
    mutating func hear(_ outcome: SinkOutcome) -> (Courier.LogLevel, String)? {
        switch outcome {
        case .taken:
            defer { failures = 0 }
            return failures > 0 ? (.info, "\(sink) takes jobs again after \(failures) failed tries") : nil
        case .retry(_, let reason), .refused(let reason):
            failures += 1
            return failures == 1 ? (.warning, "\(sink) \(reason)") : nil
        }
    }
}

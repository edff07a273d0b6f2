import Foundation

/// How many files the process may have open at once (`ulimit -n`).
///
/// Asked before anything is opened. Otherwise whatever comes last fails, and says so in words about something else: a tz
/// database that is not there, a data directory to look at.
enum FileLimit {
    /// What the log, the doors and the system's libraries have open at once, without a single client.
    static let least: rlim_t = 32

    /// What a worker has open besides its streams: its log, clients, providers and sinks.
    static let besidesStreams = 1024
    /// Streams that are allowed however low the limit is.
    static let streamsLeast = 64

    /// Raises the limit to what is wanted, or as far as that is allowed. Returns what it is then.
    static func raise(to wanted: Int) -> Int {
        #if os(Linux)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return 0 }
        if limit.rlim_cur < rlim_t(wanted) {
            let given = limit.rlim_cur
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if setrlimit(files, &limit) != 0 { return Int(clamping: given) }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises a limit that is too low as far as that is allowed.
    static func ensure() throws(Failure) {
        #if os(Linux)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < least else { return }
        let given = limit.rlim_cur
        limit.rlim_cur = least
        guard limit.rlim_max >= least, setrlimit(files, &limit) == 0 else {
            throw Failure(
                .environment,
                "this process may have \(counted(given, "file")) open at once, and needs \(least); raise the limit, with `ulimit -n 1024` or LimitNOFILE= of its unit"
            )
        }
    }
}

import Foundation

/// How much address space the process may have (`ulimit -v`), held against what it will need.
///
/// Asked before anything is opened. A process that comes to the limit later has no way to say so: where there is no room for
/// the stack of a thread it stands still for ever.
enum MemoryLimit {
    /// What a command takes that works by itself, and a worker: its 17 threads have a stack each, and the allocator sets
    /// address space aside for two of them at a time.
    static let commandBytes: UInt64 = 128 << 20
    static let workerBytes: UInt64 = 1 << 30

    static func ensure(forWorker isWorker: Bool) throws(Failure) {
        let left = bytesLeft
        if let problem = problem(left: left, forWorker: isWorker) { throw Failure(.environment, problem) }
        if left < .max { shareArenas() }
    }

    /// The allocator sets 64 MiB aside for nearly every thread, eight times as often as there are cores: with a limit no room is
    /// left for the stack of the next thread, and the process stands still.
    private static func shareArenas() {
        // glibc's alone, and <malloc.h> is in no module: M_ARENA_MAX is -8 there.
        typealias Option = @convention(c) (_ name: Int32, _ value: Int32) -> Int32
        guard let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: Option.self)(-8, 2)
    }

    /// From here on the process has no more: what would take more ends it.
    static func set(bytes: UInt64) {
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        setrlimit(addressSpace, &limit)
    }

    /// Why so many bytes do not do; `nil` where they do.
    static func problem(left: UInt64, forWorker isWorker: Bool) -> String? {
        let needed = isWorker ? workerBytes : commandBytes
        guard left < needed else { return nil }
        return
            "this process may have only \(left >> 20) MiB more of address space, and \(isWorker ? "a worker" : "it") needs \(needed >> 20) to begin with; raise the limit (`ulimit -v`)"
    }

    #if os(Linux)
        private static let addressSpace = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
        private static let addressSpace = RLIMIT_AS
    #endif

    private static var bytesLeft: UInt64 {
        var limit = rlimit()
        guard getrlimit(addressSpace, &limit) == 0, limit.rlim_cur != rlim_t.max else { return .max }
        let allowed = UInt64(limit.rlim_cur)
        return allowed > bytesInUse ? allowed - bytesInUse : 0
    }

    /// 0 where the system does not tell.
    private static var bytesInUse: UInt64 {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first
        return pages.flatMap { UInt64($0) }.map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) } ?? 0
    }
}

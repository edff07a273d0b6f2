#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Descriptors that are waited for together. A few hundred at most, so the oldest call there is will do, everywhere.
struct PollSet {
    struct Interest: OptionSet {
        let rawValue: Int16

        static let reading = Interest(rawValue: Int16(POLLIN))
        static let writing = Interest(rawValue: Int16(POLLOUT))
        /// The other side sends no more. Where the system cannot tell (Darwin), only its leaving altogether is told.
        #if canImport(Darwin)
            static let parting: Interest = []
        #else
            // POLLRDHUP, which glibc shows to GNU programs only.
            static let parting = Interest(rawValue: 0x2000)
        #endif
        /// Told of whether it is asked for or not: both sides are shut, or the connection has failed.
        static let broken = Interest(rawValue: Int16(POLLHUP | POLLERR | POLLNVAL))
    }

    private var entries: [pollfd] = []

    /// - Returns: its place, to ask for what has become of it.
    @discardableResult
    mutating func add(_ descriptor: Int32, _ interest: Interest) -> Int {
        entries.append(pollfd(fd: descriptor, events: interest.rawValue, revents: 0))
        return entries.count - 1
    }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Until something has happened, or so many milliseconds have passed; without them as long as it takes.
    mutating func wait(milliseconds: Int32?) { poll(&entries, nfds_t(entries.count), milliseconds ?? -1) }

    func happened(at place: Int) -> Interest { Interest(rawValue: entries[place].revents) }
}

/// Wakes whoever waits in a `PollSet`, from any thread.
final class Bell: Sendable {
    let reading: Int32
    private let writing: Int32

    /// `nil` where no descriptors are to be had.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        SocketCall.close(reading)
        SocketCall.close(writing)
    }

    /// A pipe that is full has rung already.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    func silence() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while withUnsafeMutableBytes(of: &bytes, { read(reading, $0.baseAddress, $0.count) }) > 0 {}
    }
}

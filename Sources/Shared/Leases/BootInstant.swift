#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A moment of this machine since it was started. The clock runs on while the machine is suspended, and nobody can set it.
///
/// A lease must not outlast a machine that was asleep: `CLOCK_MONOTONIC` of Linux would stand still meanwhile.
public struct BootInstant: Sendable, Hashable, Comparable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// What the clock shows.
    public static var current: BootInstant {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC, &time)
        #else
            clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (instant: BootInstant, time: Duration) -> BootInstant {
        BootInstant(nanoseconds: instant.nanoseconds + time.wholeNanoseconds)
    }

    public static func - (left: BootInstant, right: BootInstant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    var wholeNanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }

    /// As the database is told it.
    var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

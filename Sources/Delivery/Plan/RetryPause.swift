/// How long a job waits before it is tried again (SPEC §11): 5 tries with growing, seeded-jitter pauses. One that the sink
/// told to wait waits as told, which is no try: until its `not_after`, or for a day.
///
/// The jitter is a function of the job and the try, so that a replayed night waits the same, while jobs that failed
/// together do not come back together.
public enum RetryPause {
    public static let triesMax = 5
    /// How long a job without `not_after` is kept waiting by a sink, from the first time it is told to.
    public static let waitHoursMax: Int64 = 24

    /// After the first, second, third and fourth try; give or take a quarter.
    private static let seconds: [UInt64] = [2, 10, 60, 300]

    /// - Parameter failures: how often the job has failed with the sink.
    public static func milliseconds(after failures: Int, of job: String) -> Int64 {
        precondition(failures >= 1 && failures < triesMax, "no pause follows try \(failures)")
        let usual = seconds[failures - 1] * 1000
        return Int64(usual - usual / 4 + part(usual / 2, chance(job, failures)))
    }

    /// Never shorter than the sink asked for, and up to a quarter longer. The n-th wait is of n seconds at least, up to a
    /// minute: one who says "in a second" all day is not asked every second.
    ///
    /// - Parameter waits: how often the job was told to wait, this time included.
    public static func milliseconds(told seconds: Int, waits: Int, of job: String) -> Int64 {
        let least = UInt64(max(seconds, min(waits, 60), 1)) * 1000
        return Int64(least + part(least / 4, chance(job, waits)))
    }

    /// `chance` of 2^32 of `whole`, whole milliseconds.
    private static func part(_ whole: UInt64, _ chance: UInt64) -> UInt64 { (whole * chance) >> 32 }

    /// 32 bits: FNV-1a, then the finish of SplitMix64, since FNV alone hardly spreads its last bytes.
    private static func chance(_ job: String, _ number: Int) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(job)#\(number)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return (hash ^ (hash >> 31)) >> 32
    }
}

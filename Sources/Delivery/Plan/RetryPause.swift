/// How long a job waits before it is tried again: 5 tries with growing, seeded-jitter pauses (SPEC §11).
///
/// The jitter is a function of the job and the try, so that a replayed night waits the same, while jobs that failed
/// together do not come back together.
package enum RetryPause {
    package static let triesMax = 5

    /// After the first, second, third and fourth try; give or take a quarter.
    private static let seconds: [UInt64] = [2, 10, 60, 300]

    /// - Parameter told: the seconds that the sink asked for. It never waits shorter, and up to a quarter longer.
    package static func milliseconds(after number: Int, of job: String, told: Int?) -> Int64 {
        precondition(number >= 1 && number < triesMax, "no pause follows try \(number)")
        let chance = chance(job, number)
        if let told {
            let least = UInt64(max(told, 1)) * 1000
            return Int64(least + part(least / 4, chance))
        }
        let usual = seconds[number - 1] * 1000
        return Int64(usual - usual / 4 + part(usual / 2, chance))
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

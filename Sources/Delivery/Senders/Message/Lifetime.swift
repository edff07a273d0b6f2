internal import CivilTime

/// How long a provider may keep a job for a device that is away.
struct Lifetime {
    /// Until then, the job's `not_after` or as long as any of them keeps a message: 28 days after it was emitted.
    let end: Instant

    private static let daysMax: Int64 = 28

    init(_ order: Order) {
        let most = order.at.advanced(byDays: Self.daysMax)
        end = min(order.notAfter ?? most, most)
    }

    /// Whole seconds that are left; never more than there are, so that nothing comes late.
    func seconds(at now: Instant) -> Int64 { max(0, end.milliseconds(since: now) / 1000) }
}

/// What one person can accumulate (`G11`): limits that no honest app meets, so that nobody slows another.
///
/// A fact that would go beyond one is refused (`Register.problem`), and a notice that would wait is dropped. A log of an
/// older version may hold more: its fold keeps what is newest, and notices that wait beyond the limit are dropped in
/// pieces, with their records, until it is kept.
public enum PersonLimits {
    /// Notices held and gathered. Digests and summaries, which tell of others, may wait all the same.
    public static let waiting = 1_000
    /// Digests and summaries that may wait on top of that; no policy has as many kinds of them.
    static let digests = 8
    /// What is looked at of what waits: all that may be there.
    static let lookedAt = waiting + digests
    /// How many of those beyond that limit are dropped before others have their turn.
    static let dropsAtOnce = 512
    /// Goals that have not ended: each has schedules of its own.
    public static let goals = 500
    /// Goals that have ended and are remembered.
    static let endedGoals = 500
    public static let devices = 100
    /// Conversations with messages that are still to be looked at, or with a session about to end.
    public static let conversations = 500
    /// Jobs of the last 7 days that can be answered and snoozed; of more, the latest.
    static let jobs = 3_000
    /// Repeats that were asked for and have not come.
    public static let snoozes = 100
    /// Jobs snoozed in the days that jobs are remembered.
    public static let snoozedJobs = 1_000
    /// What is remembered of the last days' goals and streaks, so that it is not told twice.
    static let told = 500
    /// Subjects with a streak of their own.
    static let streaks = 500
    /// Failed jobs that can be sent again; of more, the latest.
    static let failedJobs = 500
    /// Goals and subjects with settings of their own.
    public static let goalSettings = 500
    /// The text of all that a person's preferences differ in.
    public static let preferenceBytes = 64 << 10
    /// Subjects and days that points are told apart by.
    static let pointSubjects = 100
    /// Days of which points are told apart beyond that.
    static let pointDays = 20
    /// Subjects that have a name.
    public static let subjectNames = 500
}

public import Hashing
public import Notices

/// Who keeps the keys of logs (SPEC §19): the journal knows that fields are sealed, and nothing of how.
public protocol KeyKeeper: Sendable {
    /// Which log the keys in a directory were made for that has no segment: a start that did not come as far as that left them.
    /// `nil` where there are none, or where they have a story of their own.
    func begun(in directory: String, on disk: any Disk) throws(JournalError) -> LogIdentity?

    /// Makes the keys of a log that has nothing yet. Keys that are there already are this log's, or it is an error.
    func begin(_ identity: LogIdentity, in directory: String, on disk: any Disk) throws(JournalError) -> any LogSeals

    /// The keys of a log that has sealed fields.
    /// - Parameter forWriting: whether whoever asks holds the log's lock.
    func open(
        _ identity: LogIdentity, in directory: String, on disk: any Disk, forWriting: Bool
    ) throws(JournalError) -> any LogSeals

    /// The keys of a log that this process has opened; `nil` where it has not.
    func opened(in directory: String) -> (any LogSeals)?
}

/// The keys of one log, one a person, as the log numbers its people. May be used from any thread.
public protocol LogSeals: Sendable {
    /// The ids of the log's people, once a writer of this process has them in memory.
    var names: LogNames? { get }
    func lend(_ names: LogNames)

    /// What conceals snapshots of the log; `nil` where they lie in the clear, and are written anew after an erasure.
    var snapshotKey: SecretBytes? { get }

    /// For one thread.
    func sealer() -> any FieldSealer

    /// Opens nothing of these people any more: the log erased them, and whoever only reads cannot destroy their keys.
    func deny(_ people: [UInt32])

    /// Makes keys for everybody numbered below `count`, durably.
    func makeKeys(below count: Int) throws(JournalError)

    /// Whether anybody's key is destroyed who is numbered below `count`, besides those whom the log erased: it is a copy of before.
    func hasDestroyed(below count: Int, besides erased: [UInt32]) throws(JournalError) -> Bool

    /// To be called when a writer has recovered its log, before anything is written: that everybody has a key, that those whom
    /// the log erased have none (`E3`), and that nobody gets the key of a number that a torn write has used.
    func settle(people count: Int, erased: [UInt32], isTorn: Bool) throws(JournalError)

    /// Destroys people's keys, as many as can be at once. To be called when the log says durably that they are erased.
    ///
    /// - Returns: whose keys are still to be destroyed.
    func destroy(_ people: [UInt32]) throws(JournalError) -> [UInt32]

    // MARK: Weeks of texts

    /// The first of the weeks that have a key, which texts of theirs need besides their person's; `nil` where none has.
    var firstTextWeek: TextWeek? { get }

    /// That a week has a key, or had: the log has commits that would not have been written without.
    func expectKey(of week: TextWeek) throws(JournalError)

    /// Makes a key for a week, durably, unless it has one. Gives the week whose key it is: the first that is not erased, where that is
    /// later, as after a clock that was ahead.
    func makeKey(of week: TextWeek) throws(JournalError) -> TextWeek

    /// Destroys the keys of all weeks before one, and makes none for them again. To be called when the log says durably that their texts
    /// are erased.
    func destroyKeys(before week: TextWeek) throws(JournalError)

    /// Opens no texts of weeks before this one any more, as `deny`.
    func denyTexts(before week: TextWeek)
}

internal import Notices

/// The index as it is kept beside the log, so that opening need not read from the beginning.
///
/// Disposable: one that is missing, torn, of another log or of another version is passed over. It is believed only
/// when its own checksums hold and the chain it was taken from is the chain that is there.
enum IndexSnapshot {
    /// What its sections hold.
    enum Tag: UInt32 {
        case peopleText = 1
        case peopleStarts = 2
        case peopleLastCommits = 3
        case factIDCounts = 4
        case factIDEntries = 5
        case generalCommits = 6
        case peopleSlots = 7
    }

    static func write(
        _ index: LogIndex, _ identity: LogIdentity, in directory: String, on disk: any Disk,
        under seals: (any LogSeals)?, draftSuffix: String = ""
    ) throws(DiskError) -> Int {
        let writer = try SnapshotWriter(
            .index, at: index.head, of: identity, in: directory, on: disk, under: seals, draftSuffix: draftSuffix)
        let roster = index.people.names.parts
        try writer.section(Tag.peopleText.rawValue, roster.text)
        try writer.section(Tag.peopleStarts.rawValue, roster.starts)
        try writer.section(Tag.peopleSlots.rawValue, roster.slots)
        try writer.section(Tag.peopleLastCommits.rawValue, index.people.lastCommits)
        try writer.section(Tag.generalCommits.rawValue, index.generalCommits)
        let ids = index.factIDs.entries()
        try writer.section(Tag.factIDCounts.rawValue, ids.counts)
        try writer.section(Tag.factIDEntries.rawValue, ids.entries)
        try writer.finish()
        return writer.size
    }

    /// The index, or `nil` where there is none to believe.
    static func read(_ snapshot: SnapshotReader, _ identity: LogIdentity, keepsFactIDs: Bool) throws(DiskError)
        -> LogIndex?
    {
        let head = snapshot.head
        guard let text: [UInt8] = try snapshot.numbers(Tag.peopleText.rawValue),
            let starts: [UInt64] = try snapshot.numbers(Tag.peopleStarts.rawValue),
            let slots: [UInt32] = try snapshot.numbers(Tag.peopleSlots.rawValue),
            let roster = Roster(hashedBy: KeyHash(identity), text: text, starts: starts, slots: slots),
            let lastCommits: [UInt64] = try snapshot.numbers(Tag.peopleLastCommits.rawValue),
            lastCommits.allSatisfy({ $0 <= head.position }),
            let people = People(roster, lastCommits: lastCommits),
            let general: [UInt64] = try snapshot.numbers(Tag.generalCommits.rawValue),
            general.allSatisfy({ $0 < head.position })
        else { return nil }
        var index = LogIndex(identity, keepsFactIDs: keepsFactIDs)
        index.head = head
        index.people = people
        index.generalCommits = general
        guard keepsFactIDs else { return index }
        guard let counts: [UInt32] = try snapshot.numbers(Tag.factIDCounts.rawValue),
            let entries: [UInt64] = try snapshot.numbers(Tag.factIDEntries.rawValue),
            let factIDs = FactIDs(identity, counts: counts, entries: entries)
        else { return nil }
        index.factIDs = factIDs
        return index
    }
}

public import Journal
public import Notices

/// Why the keys are of no use. Each names the file, and which backup is needed.
public enum KeyRingError: Error, Sendable, Equatable {
    case disk(DiskError)
    /// The log has sealed fields, and this file is not there.
    case missing(file: String)
    /// Keys are to be made where there are some.
    case alreadyThere(file: String)
    /// The file is something else.
    case notKeys(file: String)
    case newerFormat(file: String, version: UInt32)
    case otherLog(file: String)
    /// It ends before the keys of these people.
    case truncated(file: String, bytes: Int, people: ClosedRange<UInt32>?)
    /// Bytes of it changed. `people` are those whose keys cannot be opened any more; `nil` for everyone.
    case damaged(file: String, offset: Int, people: ClosedRange<UInt32>?)
    /// Bytes of it changed that hold the key of what people were told in some week.
    case weekDamaged(file: String, offset: Int)
    /// The master key is not the one that this file was written under.
    case wrongMaster(file: String, master: String)
    case master(MasterKeyError)
    /// The keys are older than the log: these people have none.
    case behind(file: String, people: ClosedRange<UInt32>)
    /// The keys are older than the log: what people were told in this week has none.
    case textsBehind(file: String, week: TextWeek)
    /// The person was erased.
    case destroyed(person: UInt32)
    /// A change of the keys failed before; nothing more is changed (`G4`).
    case stopped(DiskError)
    /// The tables that they lie in could not be asked, or are another's by now. Who owns the log takes it anew.
    case lost(String)
    /// They lie in a database, and no master key was given that all its workers have.
    case noCommonMaster
}

extension KeyRingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .disk(let error): "\(error). \(error.advice)"
        case .missing(let file) where Self.isTable(file):
            "\(file) is missing, without which what the log says of people cannot be read. \(Self.restore(file))"
        case .missing(let file):
            "\(file) is missing, without which what the log says of people cannot be read. \(file.hasSuffix(KeyFile.master) ? "If another master key opens the keys, name it with --master-key-file or --master-key-command; else restore" : "Restore") `keys`, `keys.table` and, where it lies beside them, `master.key` together, from the newest backup of the keys of this log. `belfry verify` needs none of them"
        case .alreadyThere(let file):
            "\(file) is there already: keys are made once. Move the keys away only if nothing that they sealed is needed"
        case .notKeys(let file): "\(file) holds no keys of Belfry's. \(Self.restore(file))"
        case .newerFormat(let file, let version):
            "\(file) was written by a newer Belfry (format \(version)). Use the newer version"
        case .otherLog(let file): "\(file) belongs to another log. \(Self.restore(file))"
        case .truncated(let file, let bytes, let people):
            "\(file) ends after \(bytes) bytes, before \(Self.keys(people)). \(Self.restore(file))"
        case .damaged(let file, let offset, let people):
            "\(file), byte \(offset): damaged; it held \(Self.keys(people)). \(Self.restore(file))"
        case .weekDamaged(let file, let offset):
            "\(file), byte \(offset): damaged; it held the key of what people were told in some week. \(Self.restore(file))"
        case .wrongMaster(let file, let master):
            "\(file) was written under another master key than \(master). Name that key; if the keys were restored from a backup, it is the master key of that time"
        case .master(let error): "\(error)"
        case .behind(let file, let people):
            "\(file) is older than the log: \(Self.persons(people)) \(people.count == 1 ? "has" : "have") no key in it. \(Self.restore(file, of: "the time after they came"))"
        case .textsBehind(let file, let week):
            "\(file) is older than the log: what people were told from \(week.start) to \(week.end) has no key in it. \(Self.restore(file, of: "a time after that"))"
        case .destroyed(let person): "person \(person) was erased, and nothing more is recorded of them"
        case .lost(let words): words
        case .noCommonMaster:
            "people's keys lie in the database, under a master key that every worker is given: name it with --master-key-file or --master-key-command. `openssl rand -hex 64` makes one for a cluster that is only begun"
        case .stopped(let error):
            "the keys are not changed any more since a write failed: \(error). \(error.advice)"
        }
    }

    private static func isTable(_ file: String) -> Bool { file.hasPrefix(KeyTablesName.prefix) }

    private static func restore(_ file: String, of what: String = "this log") -> String {
        guard !isTable(file) else {
            return
                "Restore the rows of belfry.key_table and belfry.key_page together, from the newest backup of the database of \(what). `belfry verify` on an export needs none of them"
        }
        return
            "Restore `keys`, `keys.table` and, where it lies beside them, `master.key` together, from the newest backup of the keys of \(what). `belfry verify` needs none of them"
    }

    private static func persons(_ people: ClosedRange<UInt32>) -> String {
        people.count == 1 ? "person \(people.lowerBound)" : "persons \(people.lowerBound) to \(people.upperBound)"
    }

    private static func keys(_ people: ClosedRange<UInt32>?) -> String {
        guard let people else { return "what opens everybody's keys" }
        return people.count == 1 ? "the key of \(persons(people))" : "the keys of \(persons(people))"
    }
}

/// Runs what asks the disk, and says so when it is the disk that failed.
func onDisk<Result>(_ body: () throws(DiskError) -> Result) throws(KeyRingError) -> Result {
    do { return try body() } catch { throw .disk(error) }
}

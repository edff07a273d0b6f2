public import Journal
internal import Notices

/// The figures in a file beside the log. `FORMAT.md` has its bytes.
///
/// Disposable, like every snapshot: believed where its checksums hold, it is of this log, the chain has its hash at its place
/// and this version of the fold wrote it; otherwise the log is read from its beginning.
enum NumbersFile {
    /// To be raised whenever the same log gives other figures, or they are written otherwise.
    static let version: UInt32 = 6
    static let kind = SnapshotKind.numbers(version: version)

    enum Tag: UInt32 {
        /// Policies, kinds, cells and what was used, which is all that a question needs.
        case figures = 1
        case settings = 2
        case people = 3
        case waiting = 4
    }

    // MARK: Writing

    static func write(
        _ numbers: Numbers, _ beginning: Beginning, to directory: String, on disk: any Disk, _ draftSuffix: String
    ) throws(DiskError) -> Int {
        let file = try SnapshotWriter(
            kind, at: numbers.head, of: numbers.identity, in: directory, on: disk, draftSuffix: draftSuffix)
        for (tag, bytes) in sections(numbers, beginning) { try file.section(tag.rawValue, bytes) }
        try file.finish()
        return file.size
    }

    /// The same bytes for the same figures, whatever way they came about. Numbers are little-endian, as this program's
    /// machines are.
    static func sections(_ numbers: Numbers, _ beginning: Beginning) -> [(Tag, [UInt8])] {
        let kept = numbers.settings.kept
        return [
            (.figures, KeptFigures(numbers, beginning).bytes), (.settings, settings(kept.settings)),
            (.people, kept.people.withUnsafeBytes { Array($0) }), (.waiting, waiting(numbers)),
        ]
    }

    private static func settings(_ settings: [SettingsInUse]) -> [UInt8] {
        var buffer = ByteBuffer()
        for own in settings {
            buffer.appendMessage(1) { message in
                for (place, part) in own.parts.enumerated() {
                    if let part { message.appendText(place + 1, part) }
                }
            }
        }
        return Array(buffer.bytes)
    }

    private static func waiting(_ numbers: Numbers) -> [UInt8] {
        var buffer = ByteBuffer()
        func append(_ rows: [(UInt64, Int64)]) {
            buffer.appendLittleEndian(UInt64(rows.count))
            for (name, value) in rows.sorted(by: { $0.0 < $1.0 }) {
                buffer.appendLittleEndian(name)
                buffer.appendLittleEndian(value)
            }
        }
        append(numbers.held.map { ($0.key, $0.value) })
        append(numbers.gathered.map { ($0, 0) })
        append(numbers.samples.map { ($0, 0) })
        append(numbers.deadlines.map { ($0.key, $0.value) })
        return Array(buffer.bytes)
    }

    // MARK: Reading

    /// The file beside a log; `nil` where it cannot be believed, whatever the reason.
    static func open(beside log: LogReader) throws(JournalError) -> SnapshotReader? {
        guard let identity = log.identity,
            let file = try? SnapshotReader(kind, of: identity, in: log.directory, on: log.disk),
            try log.isOnChain(file.head)
        else { return nil }
        return file
    }

    /// The part that a question needs.
    static func figures(_ file: SnapshotReader, _ beginning: Beginning) throws -> Figures? {
        guard let bytes: [UInt8] = try file.numbers(Tag.figures.rawValue), let kept = try KeptFigures(bytes),
            kept.beginning == beginning.policy
        else { return nil }
        var figures = kept.figures
        figures.head = file.head
        return figures
    }

    /// All of it: what is read on from.
    static func numbers(
        _ file: SnapshotReader, _ identity: LogIdentity, _ beginning: Beginning
    ) throws -> Numbers? {
        guard let figures: [UInt8] = try file.numbers(Tag.figures.rawValue),
            let settings: [UInt8] = try file.numbers(Tag.settings.rawValue),
            let people: [UInt32] = try file.numbers(Tag.people.rawValue),
            let waiting: [UInt64] = try file.numbers(Tag.waiting.rawValue),
            let kept = try KeptFigures(figures), kept.beginning == beginning.policy,
            let plan = PlanInForce(beginning, kept.policies),
            let table = SettingsTable(
                try rows(settings), people: people.map { UInt32(littleEndian: $0) }, plan.plan.rules)
        else { return nil }
        var numbers = Numbers(of: identity, beginning)
        numbers.figures = kept.figures
        numbers.head = file.head
        numbers.plan = plan
        numbers.settings = table
        return read(waiting, into: &numbers) ? numbers : nil
    }

    private static func rows(_ bytes: [UInt8]) throws -> [SettingsInUse] {
        var rows: [SettingsInUse] = []
        try bytes.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            while let (field, type) = try reader.tag() {
                guard field == 1, type == .bytes else { throw WireError.wrongWireType(field: field) }
                var parts = [String?](repeating: nil, count: 6)
                var row = WireReader(try reader.bytes())
                while let (place, type) = try row.tag() {
                    guard type == .bytes, (1...6).contains(place) else { throw WireError.wrongWireType(field: place) }
                    parts[place - 1] = try row.text()
                }
                guard let settings = SettingsInUse(parts: parts) else { throw WireError.unknownRecord(1) }
                rows.append(settings)
            }
        }
        return rows
    }

    private static func read(_ words: [UInt64], into numbers: inout Numbers) -> Bool {
        var words = words.map { UInt64(littleEndian: $0) }[...]
        func rows() -> [(UInt64, Int64)]? {
            guard let count = words.popFirst(), count <= UInt64(words.count / 2) else { return nil }
            defer { words = words.dropFirst(2 * Int(count)) }
            return (0..<Int(count)).map {
                (words[words.startIndex + 2 * $0], Int64(bitPattern: words[words.startIndex + 2 * $0 + 1]))
            }
        }
        guard let held = rows(), let gathered = rows(), let samples = rows(), let deadlines = rows(),
            words.isEmpty
        else { return false }
        numbers.held = Dictionary(held, uniquingKeysWith: { first, _ in first })
        numbers.gathered = Set(gathered.map(\.0))
        numbers.samples = Set(samples.map(\.0))
        numbers.deadlines = Dictionary(deadlines, uniquingKeysWith: { first, _ in first })
        return true
    }
}

/// What is kept beside a log, as far as it is needed for figures of now.
public enum KeptNumbers {
    /// It tells of all that is known to be durable: the figures by themselves, read in no time.
    case upToDate(Figures)
    /// There is more of the log to read.
    case behind(Numbers)

    /// `nil` where there is nothing that can be believed.
    public init?(beside log: LogReader, _ beginning: Beginning) throws(JournalError) {
        guard let identity = log.identity, let file = try NumbersFile.open(beside: log) else { return nil }
        if file.head.position == log.endPosition {
            guard let figures = try? NumbersFile.figures(file, beginning) else { return nil }
            self = .upToDate(figures)
        } else {
            guard let numbers = try? NumbersFile.numbers(file, identity, beginning) else { return nil }
            self = .behind(numbers)
        }
    }
}

extension Numbers {
    /// The figures as they were kept beside a log, to be read on; `nil` where there are none that can be believed.
    public init?(keptBeside log: LogReader, _ beginning: Beginning) throws(JournalError) {
        guard let identity = log.identity, let file = try NumbersFile.open(beside: log),
            let numbers = try? NumbersFile.numbers(file, identity, beginning)
        else { return nil }
        self = numbers
    }

    /// Keeps them beside the log, in one step. They tell what settings people have, in their own words: where somebody was erased since
    /// they were counted, or is while they are written, nothing is kept (`E1`).
    ///
    /// - Returns: the file's size; 0 where nothing was kept, also while somebody takes snapshots.
    @discardableResult
    public func keep(
        in directory: String, on disk: any Disk, _ beginning: Beginning, draftSuffix: String = ""
    ) throws(JournalError) -> Int {
        guard head.position > 0, let lock = try SnapshotLock(directory, on: disk) else { return 0 }
        defer { withExtendedLifetime(lock) {} }
        guard try !LogReader(directory, on: disk).hasErasure(behind: head) else { return 0 }
        let size = try onDisk { () throws(DiskError) in
            try NumbersFile.write(self, beginning, to: directory, on: disk, draftSuffix)
        }
        guard try LogReader(directory, on: disk).hasErasure(behind: head) else { return size }
        try onDisk { () throws(DiskError) in
            try disk.remove(DiskPath.join(directory, LogFile.numbers))
            try disk.syncDirectory(directory)
        }
        return 0
    }
}

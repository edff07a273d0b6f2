/// What becomes of the unsynced changes when the power goes.
public enum Fate: CaseIterable, Sendable {
    /// All of it is gone.
    case lost
    /// All of it had reached the disk.
    case kept
    /// It was being written in order, and the write at the moment of the cut got through in part.
    case torn
    /// The disk had its own order: of every write each sector, and each change of a name, got through or did not.
    /// A file may have grown over sectors that were lost; they read as zeros.
    case reordered
}

extension SimulatedStorage {
    static let sector = 512

    /// Leaves only what is durable, after a part of the unsynced changes has become so by `fate`.
    mutating func losePower(_ fate: Fate, _ random: inout SeededRandom) {
        switch fate {
        case .lost: break
        case .kept: for change in unsyncedChanges() { persist(change) }
        case .torn: tear(unsyncedChanges(), &random)
        case .reordered: for change in unsyncedChanges() { persistPerhaps(change, &random) }
        }
        unsyncedEntries.removeAll()
        directories = directories.mapValues { Directory(durable: $0.durable, current: $0.durable) }
        files = files.mapValues { File(durable: $0.durable, current: $0.durable) }
    }

    private enum Change {
        case file(Node, FileChange)
        case entry(EntryChange)
    }

    /// The unsynced changes of the whole disk in the order they were made.
    private func unsyncedChanges() -> [Change] {
        var changes = unsyncedEntries.map { (number: $0.number, change: Change.entry($0.change)) }
        for (node, file) in files {
            changes += file.unsynced.map { (number: $0.number, change: Change.file(node, $0.change)) }
        }
        return changes.sorted { $0.number < $1.number }.map(\.change)
    }

    private mutating func persist(_ change: Change) {
        switch change {
        case .file(let node, let change): change.apply(to: &files[node, default: File()].durable)
        case .entry(let change): change.apply(to: &directories, \.durable)
        }
    }

    private mutating func tear(_ changes: [Change], _ random: inout SeededRandom) {
        let whole = Int.random(in: 0...changes.count, using: &random)
        for change in changes.prefix(whole) { persist(change) }
        guard whole < changes.count, case .file(let node, let change) = changes[whole],
            case .write(let offset, let bytes) = change
        else { return }
        var cut = Int.random(in: 0..<max(bytes.count, 1), using: &random)
        if Bool.random(using: &random) {
            cut = max(0, (offset + cut) / Self.sector * Self.sector - offset)
        }
        persist(.file(node, change.cut(to: cut)))
    }

    private mutating func persistPerhaps(_ change: Change, _ random: inout SeededRandom) {
        guard case .file(let node, .write(let offset, let bytes)) = change else {
            if Bool.random(using: &random) { persist(change) }
            return
        }
        guard var file = files.removeValue(forKey: node) else { return }
        defer { files[node] = file }
        let end = offset + bytes.count
        if Bool.random(using: &random), file.durable.count < end {
            FileChange.resize(&file.durable, to: end)
        }
        var start = offset
        while start < end {
            let next = min(end, (start / Self.sector + 1) * Self.sector)
            if Bool.random(using: &random) {
                FileChange.overlay(bytes[start - offset..<next - offset], at: start, on: &file.durable)
            }
            start = next
        }
    }
}

internal import Journal

/// What is on a simulated disk: for every file and directory what reads see now, and what a power cut leaves.
///
/// Files and directories are numbered nodes, as inodes are; a name is an entry in a directory. Whatever is changed
/// shows in `current` at once and waits in a list of unsynced changes, numbered in the order they were made, until
/// a sync moves it to `durable`. A name and the bytes behind it are synced apart.
struct SimulatedStorage: Sendable {
    typealias Node = Int

    struct File {
        var durable: [UInt8] = []
        var current: [UInt8] = []
        var unsynced: [Numbered<FileChange>] = []
    }

    struct Directory {
        var durable: [String: Node] = [:]
        var current: [String: Node] = [:]
    }

    struct Entry: Hashable {
        let directory: Node
        let name: String
    }

    struct Numbered<Change: Sendable>: Sendable {
        let number: Int
        let change: Change
    }

    static let root = 0

    private(set) var nodes = 1
    private(set) var changes = 0
    var files: [Node: File] = [:]
    var directories: [Node: Directory] = [root: Directory()]
    var unsyncedEntries: [Numbered<EntryChange>] = []
    /// Who owns a node, where it is not the user of the process.
    var foreignOwners: [Node: UInt32] = [:]

    /// The bytes of all files that have a name.
    var used: Int {
        directories.values.reduce(0) { sum, directory in
            directory.current.values.reduce(sum) { $0 + (files[$1]?.current.count ?? 0) }
        }
    }

    mutating func newNode() -> Node {
        defer { nodes += 1 }
        return nodes
    }

    mutating func numbered<Change>(_ change: Change) -> Numbered<Change> {
        changes += 1
        return Numbered(number: changes, change: change)
    }
}

// MARK: - Finding

extension SimulatedStorage {
    /// The node at a path, `nil` when its last name is not there.
    func node(at path: String, for operation: DiskError.Operation) throws(DiskError) -> Node? {
        let (directory, name) = try place(of: path, for: operation)
        guard let name else { return directory }
        return directories[directory]?.current[name]
    }

    func existing(_ path: String, for operation: DiskError.Operation) throws(DiskError) -> Node {
        guard let node = try node(at: path, for: operation) else {
            throw DiskError(operation, path, ErrorCode.notFound)
        }
        return node
    }

    func directory(at path: String, for operation: DiskError.Operation) throws(DiskError) -> Node {
        let node = try existing(path, for: operation)
        guard directories[node] != nil else { throw DiskError(operation, path, ErrorCode.notADirectory) }
        return node
    }

    /// The directory that holds, or would hold, the last name of a path; no name for the root itself.
    func place(of path: String, for operation: DiskError.Operation) throws(DiskError) -> (Node, String?) {
        var names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        precondition(!names.contains(".."), "the simulated disk does not follow ..: \(path)")
        guard !path.isEmpty else { throw DiskError(operation, path, ErrorCode.notFound) }
        guard let last = names.popLast() else { return (Self.root, nil) }
        var directory = Self.root
        for name in names {
            guard let next = directories[directory]?.current[name] else {
                throw DiskError(operation, path, ErrorCode.notFound)
            }
            guard directories[next] != nil else { throw DiskError(operation, path, ErrorCode.notADirectory) }
            directory = next
        }
        return (directory, last)
    }
}

// MARK: - Changing

extension SimulatedStorage {
    mutating func write(_ bytes: [UInt8], at offset: Int, to node: Node) {
        change(node, .write(offset: offset, bytes))
    }

    mutating func truncate(_ node: Node, to size: Int) {
        change(node, .truncate(size))
    }

    mutating func change(_ entry: EntryChange) {
        entry.apply(to: &directories, \.current)
        unsyncedEntries.append(numbered(entry))
    }

    private mutating func change(_ node: Node, _ change: FileChange) {
        let numbered = numbered(change)
        files[node]?.unsynced.append(numbered)
        change.apply(to: &files[node, default: File()].current)
    }
}

// MARK: - Syncing

extension SimulatedStorage {
    /// Makes the first `count` unsynced changes of a file durable.
    mutating func syncData(_ node: Node, first count: Int = .max) {
        guard var file = files.removeValue(forKey: node) else { return }
        for change in file.unsynced.prefix(count) { change.change.apply(to: &file.durable) }
        file.unsynced.removeFirst(min(count, file.unsynced.count))
        files[node] = file
    }

    /// What Linux does when a sync fails: reads go on seeing the changes, and no later sync will write them.
    mutating func forgetUnsynced(of node: Node) {
        files[node]?.unsynced.removeAll()
    }

    mutating func syncDirectory(_ node: Node) {
        for change in takeUnsyncedEntries(of: node) { change.apply(to: &directories, \.durable) }
    }

    mutating func forgetUnsyncedEntries(of directory: Node) {
        _ = takeUnsyncedEntries(of: directory)
    }

    /// Takes the changes in a directory off the list, with the earlier ones elsewhere that they build upon.
    private mutating func takeUnsyncedEntries(of directory: Node) -> [EntryChange] {
        var needed: Set<Entry> = []
        var taken: [EntryChange] = []
        var left: [Numbered<EntryChange>] = []
        for numbered in unsyncedEntries.reversed() {
            let touched = numbered.change.entries
            if touched.contains(where: { $0.directory == directory || needed.contains($0) }) {
                needed.formUnion(touched)
                taken.append(numbered.change)
            } else {
                left.append(numbered)
            }
        }
        unsyncedEntries = left.reversed()
        return taken.reversed()
    }
}

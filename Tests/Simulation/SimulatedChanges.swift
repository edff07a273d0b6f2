/// A change to the bytes of a file.
enum FileChange: Sendable {
    case write(offset: Int, [UInt8])
    case truncate(Int)

    func apply(to bytes: inout [UInt8]) {
        switch self {
        case .write(let offset, let new): Self.overlay(new[...], at: offset, on: &bytes)
        case .truncate(let size): Self.resize(&bytes, to: size)
        }
    }

    /// The change with only the first `count` bytes of its write; whole when it is not a write.
    func cut(to count: Int) -> FileChange {
        guard case .write(let offset, let new) = self else { return self }
        return .write(offset: offset, Array(new.prefix(count)))
    }

    static func overlay(_ new: ArraySlice<UInt8>, at offset: Int, on bytes: inout [UInt8]) {
        if new.isEmpty { return }
        if bytes.count < offset { resize(&bytes, to: offset) }
        let covered = min(bytes.count - offset, new.count)
        bytes.replaceSubrange(offset..<offset + covered, with: new.prefix(covered))
        bytes.append(contentsOf: new.dropFirst(covered))
    }

    static func resize(_ bytes: inout [UInt8], to size: Int) {
        if size < bytes.count {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }
}

/// A change to the names in directories.
enum EntryChange: Sendable {
    typealias Entry = SimulatedStorage.Entry
    typealias Node = SimulatedStorage.Node
    typealias Directory = SimulatedStorage.Directory

    case link(Entry, Node)
    case unlink(Entry)
    case move(Entry, to: Entry, Node)

    var entries: [Entry] {
        switch self {
        case .link(let entry, _), .unlink(let entry): [entry]
        case .move(let from, let to, _): [from, to]
        }
    }

    /// Applies the change to one side of the directories. A move does nothing where what it moved is not there:
    /// a file whose creation was lost cannot turn up under another name.
    func apply(to directories: inout [Node: Directory], _ side: WritableKeyPath<Directory, [String: Node]>) {
        switch self {
        case .link(let entry, let node):
            directories[entry.directory]?[keyPath: side][entry.name] = node
        case .unlink(let entry):
            directories[entry.directory]?[keyPath: side][entry.name] = nil
        case .move(let from, let to, let node):
            guard directories[from.directory]?[keyPath: side][from.name] == node else { return }
            directories[from.directory]?[keyPath: side][from.name] = nil
            directories[to.directory]?[keyPath: side][to.name] = node
        }
    }
}

internal import Journal
internal import Synchronization

/// What a test does to a disk behind the back of the code it tests. None of it is a numbered operation, all of it
/// is durable at once.
extension SimulatedDisk {
    /// What reads see of a file; `nil` when there is no such file.
    public func contents(_ path: String) -> [UInt8]? {
        state.withLock { $0.storage.file(at: path)?.current }
    }

    /// The bytes that all files together hold, as `capacity` counts them.
    public var usedBytes: Int { state.withLock { $0.storage.used } }

    /// What the disk holds of a file, wherever its name has got to; `nil` when there is no such file.
    public func durableContents(_ path: String) -> [UInt8]? {
        state.withLock { $0.storage.file(at: path)?.durable }
    }

    /// Puts a durable file at a path, making the directories on the way to it.
    public func setContents(_ path: String, _ bytes: [UInt8]) {
        state.withLock { $0.storage.put(bytes, at: path) }
    }

    /// Turns one bit of a file, counted from the lowest of its first byte, where it is read and where it is kept.
    public func flipBit(path: String, bit: Int) {
        state.withLock { state in
            state.storage.edit(path) { bytes in
                if bit / 8 < bytes.count { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
        }
    }

    /// Gives what is at a path to another user.
    public func setOwner(of path: String, to owner: UInt32) {
        state.withLock { state in
            guard let node = try? state.storage.node(at: path, for: .status) else {
                preconditionFailure("there is no \(path)")
            }
            state.storage.foreignOwners[node] = owner
        }
    }
}

extension SimulatedStorage {
    fileprivate func file(at path: String) -> File? {
        guard let node = try? node(at: path, for: .status) else { return nil }
        return files[node]
    }

    fileprivate mutating func edit(_ path: String, _ change: (inout [UInt8]) -> Void) {
        guard let node = try? node(at: path, for: .status), var file = files.removeValue(forKey: node) else {
            preconditionFailure("there is no file \(path)")
        }
        change(&file.durable)
        change(&file.current)
        files[node] = file
    }

    fileprivate mutating func put(_ bytes: [UInt8], at path: String) {
        var names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        guard let last = names.popLast() else { preconditionFailure("\(path) names no file") }
        var directory = Self.root
        for name in names {
            let next = directories[directory]?.current[name] ?? newNode()
            precondition(files[next] == nil, "\(name) in \(path) is a file")
            if directories[next] == nil { directories[next] = Directory() }
            link(name, in: directory, to: next)
            directory = next
        }
        let node = directories[directory]?.current[last] ?? newNode()
        precondition(directories[node] == nil, "\(path) is a directory")
        files[node] = File(durable: bytes, current: bytes)
        link(last, in: directory, to: node)
    }

    private mutating func link(_ name: String, in directory: Node, to node: Node) {
        directories[directory]?.durable[name] = node
        directories[directory]?.current[name] = node
    }
}

internal import Journal

/// The verbs that look up, give and take names, with the errors that POSIX has for them.
extension SimulatedStorage {
    mutating func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> Node {
        let (directory, name) = try place(of: path, for: .open)
        if let node = name == nil ? directory : directories[directory]?.current[name ?? ""] {
            if mode == .create || mode == .createPrivate { throw DiskError(.open, path, ErrorCode.alreadyThere) }
            guard files[node] != nil else { throw DiskError(.open, path, ErrorCode.isADirectory) }
            return node
        }
        guard let name, mode != .read, mode != .write else {
            throw DiskError(.open, path, ErrorCode.notFound)
        }
        let node = newNode()
        files[node] = File()
        change(.link(Entry(directory: directory, name: name), node))
        return node
    }

    mutating func rename(_ from: String, to: String) throws(DiskError) {
        let node = try existing(from, for: .rename)
        let source = try entry(of: from, for: .rename)
        let target = try entry(of: to, for: .rename)
        if let replaced = directories[target.directory]?.current[target.name] {
            if replaced == node { return }
            if let directory = directories[replaced] {
                guard files[node] == nil else { throw DiskError(.rename, from, ErrorCode.isADirectory) }
                guard directory.current.isEmpty else { throw DiskError(.rename, from, ErrorCode.notEmpty) }
            } else if files[node] == nil {
                throw DiskError(.rename, from, ErrorCode.notADirectory)
            }
        }
        change(.move(source, to: target, node))
    }

    mutating func remove(_ path: String) throws(DiskError) {
        let node = try existing(path, for: .remove)
        guard files[node] != nil else { throw DiskError(.remove, path, ErrorCode.isADirectory) }
        change(.unlink(try entry(of: path, for: .remove)))
    }

    mutating func makeDirectory(_ path: String) throws(DiskError) {
        if let node = try node(at: path, for: .makeDirectory) {
            guard files[node] == nil else { throw DiskError(.makeDirectory, path, ErrorCode.alreadyThere) }
            return
        }
        let node = newNode()
        directories[node] = Directory()
        change(.link(try entry(of: path, for: .makeDirectory), node))
    }

    func status(of path: String) throws(DiskError) -> DiskStatus? {
        let found: Node?
        do throws(DiskError) {
            found = try node(at: path, for: .status)
        } catch  where error.isNotFound {
            found = nil
        }
        return found.map(status)
    }

    func status(of node: Node) -> DiskStatus {
        let file = files[node]
        let owner = foreignOwners[node] ?? SimulatedDisk.user
        return DiskStatus(
            kind: file == nil ? .directory : .file, owner: owner, size: file?.current.count ?? 0,
            isMine: owner == SimulatedDisk.user, identity: FileIdentity(device: 1, node: UInt64(node)),
            names: names(of: node), isWritableByOthers: false)
    }

    /// How many directory entries lead there.
    private func names(of node: Node) -> Int {
        directories.values.reduce(0) { count, directory in count + directory.current.values.count { $0 == node } }
    }

    private func entry(of path: String, for operation: DiskError.Operation) throws(DiskError) -> Entry {
        let (directory, name) = try place(of: path, for: operation)
        guard let name else { throw DiskError(operation, path, ErrorCode.invalid) }
        return Entry(directory: directory, name: name)
    }
}

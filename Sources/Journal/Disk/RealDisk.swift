/// The disk of this machine, one system call a verb.
///
/// Calls that a signal interrupts are repeated, except syncs: a sync that did not succeed has failed for good.
public struct RealDisk: Disk {
    public let keys: (any KeyKeeper)?

    public init(keys: (any KeyKeeper)? = nil) { self.keys = keys }

    public func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
        let answer = Self.untilUninterrupted { SystemCall.openFile(path, mode) }
        let file = DiskFile(descriptor: Int32(try Self.checked(answer, .open, path)), path: path)
        do throws(DiskError) { try refuseStrange(file) } catch {
            close(file)
            throw error
        }
        return file
    }

    public func close(_ file: DiskFile) {
        // Whatever else close may answer concerns unsynced bytes, and of those nothing was promised.
        let answer = SystemCall.closeFile(file.descriptor)
        precondition(answer != -Int(ErrorCode.badFile), "\(file.path) was closed twice")
    }

    public func size(of file: DiskFile) throws(DiskError) -> Int {
        try status(of: file, for: .size).size
    }

    public func read(
        _ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        let answer = Self.untilUninterrupted { SystemCall.readBytes(file.descriptor, into: buffer, at: offset) }
        return try Self.checked(answer, .read, file.path)
    }

    public func write(
        _ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        if bytes.isEmpty { return 0 }
        let answer = Self.untilUninterrupted { SystemCall.writeBytes(file.descriptor, bytes, at: offset) }
        let count = try Self.checked(answer, .write, file.path)
        // POSIX leaves this open, and callers who loop over short writes would loop for ever.
        guard count > 0 else { throw DiskError(.write, file.path, ErrorCode.inputOutput) }
        return count
    }

    public func syncData(_ file: DiskFile) throws(DiskError) {
        _ = try Self.checked(SystemCall.syncFileData(file.descriptor), .syncData, file.path)
    }

    public func truncate(_ file: DiskFile, to size: Int) throws(DiskError) {
        let answer = Self.untilUninterrupted { SystemCall.resize(file.descriptor, to: size) }
        _ = try Self.checked(answer, .truncate, file.path)
    }

    public func syncDirectory(_ path: String) throws(DiskError) {
        let opened = Self.untilUninterrupted { SystemCall.openDirectory(path) }
        let descriptor = Int32(try Self.checked(opened, .syncDirectory, path))
        let answer = SystemCall.syncEntries(descriptor)
        _ = SystemCall.closeFile(descriptor)
        _ = try Self.checked(answer, .syncDirectory, path)
    }

    public func rename(_ from: String, to: String) throws(DiskError) {
        _ = try Self.checked(SystemCall.renameFile(from, to: to), .rename, from)
    }

    public func remove(_ path: String) throws(DiskError) {
        _ = try Self.checked(SystemCall.removeFile(path), .remove, path)
    }

    public func list(_ path: String) throws(DiskError) -> [String] {
        var names: [String] = []
        _ = try Self.checked(SystemCall.eachName(in: path) { names.append($0) }, .list, path)
        return names.sorted()
    }

    public func makeDirectory(_ path: String) throws(DiskError) {
        let answer = SystemCall.makeDirectory(path)
        if answer == -Int(ErrorCode.alreadyThere), try status(of: path)?.kind == .directory { return }
        _ = try Self.checked(answer, .makeDirectory, path)
    }

    public func status(of path: String) throws(DiskError) -> DiskStatus? {
        var status: DiskStatus?
        let answer = SystemCall.look(at: path) { status = $0 }
        if answer == -Int(ErrorCode.notFound) { return nil }
        _ = try Self.checked(answer, .status, path)
        return status
    }

    public func status(of file: DiskFile) throws(DiskError) -> DiskStatus { try status(of: file, for: .status) }

    public func freeSpace(at path: String) throws(DiskError) -> Int {
        try Self.checked(Self.untilUninterrupted { SystemCall.freeBytes(at: path) }, .freeSpace, path)
    }

    public func lock(_ file: DiskFile) throws(DiskError) -> Bool {
        let answer = Self.untilUninterrupted { SystemCall.lockFile(file.descriptor) }
        if answer == -Int(ErrorCode.wouldBlock) { return false }
        _ = try Self.checked(answer, .lock, file.path)
        return true
    }
}

extension RealDisk {
    /// To open a directory or a pipe for reading succeeds; they are refused here rather than at the first read.
    private func refuseStrange(_ file: DiskFile) throws(DiskError) {
        switch try status(of: file, for: .open).kind {
        case .file, .device: break
        case .directory: throw DiskError(.open, file.path, ErrorCode.isADirectory)
        case .other: throw DiskError(.open, file.path, ErrorCode.noSuchDevice)
        }
    }

    private func status(of file: DiskFile, for operation: DiskError.Operation) throws(DiskError) -> DiskStatus {
        var status: DiskStatus?
        let answer = SystemCall.look(at: file.descriptor) { status = $0 }
        _ = try Self.checked(answer, operation, file.path)
        guard let status else { throw DiskError(operation, file.path, ErrorCode.inputOutput) }
        return status
    }

    private static func untilUninterrupted(_ call: () -> Int) -> Int {
        while true {
            let answer = call()
            if answer != -Int(ErrorCode.interrupted) { return answer }
        }
    }

    private static func checked(
        _ answer: Int, _ operation: DiskError.Operation, _ path: String
    ) throws(DiskError) -> Int {
        guard answer >= 0 else { throw DiskError(operation, path, Int32(-answer)) }
        return answer
    }
}

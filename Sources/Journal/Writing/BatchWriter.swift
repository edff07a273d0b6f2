internal import Notices

/// Puts batches on the disk, one after the other: write, sync, witness.
///
/// A batch is begun only when the one before it is durable, which recovery relies on. After the first failure it does
/// nothing more, and never syncs again (`G4`).
///
/// Safe to send: it is used by one queue at a time, the one that writes.
public final class BatchWriter: @unchecked Sendable {
    private let disk: any Disk
    private let directory: String
    private let identity: LogIdentity
    private let site: LogSite
    private var file: DiskFile?
    private var fileEnd: Int
    private var witnessFile: DiskFile?
    private var witnessBytes = ByteBuffer(capacity: 128)
    private var hasWritten = false
    private var failure: DiskError?

    init(
        disk: any Disk, directory: String, identity: LogIdentity, current: Segment?, site: LogSite
    ) throws(DiskError) {
        self.disk = disk
        self.site = site
        self.directory = directory
        self.identity = identity
        fileEnd = current?.fileSize ?? 0
        if let current {
            let file = try disk.open(current.path, .write)
            self.file = file
            try site.hold(file)
        }
    }

    deinit { close() }

    /// Returns when every byte of the batch is durable.
    public func write(_ batch: Batch) throws(DiskError) {
        if let failure { throw failure }
        do throws(DiskError) {
            if let header = batch.opens { try begin(header) }
            guard let file else { preconditionFailure("the first batch of a log begins a segment") }
            try disk.writeAll(file, batch.bytes.bytes, at: fileEnd)
            try disk.syncData(file)
            try checkName(of: file)
            fileEnd += batch.bytes.count
            try writeWitness(batch.end)
            hasWritten = true
        } catch {
            failure = error
            throw error
        }
    }

    /// A segment's name and header are durable before its first commit is written.
    private func begin(_ header: SegmentHeader) throws(DiskError) {
        let path = DiskPath.join(directory, LogFile.segment(header.firstPosition))
        // A new file is made by its name: in a directory that took the log's place it would be parted from the rest.
        guard site.displacement() == nil else { throw DiskError(.find, directory, ErrorCode.notFound) }
        let fresh = try disk.open(path, .create)
        if let file {
            site.release(file)
            disk.close(file)
        }
        file = fresh
        try site.hold(fresh)
        var bytes = ByteBuffer(capacity: SegmentHeader.size)
        header.write(into: &bytes)
        try disk.writeAll(fresh, bytes.bytes, at: 0)
        try disk.syncData(fresh)
        try disk.syncDirectory(directory)
        fileEnd = bytes.count
    }

    func writeWitness(_ head: LogHead) throws(DiskError) {
        let target: DiskFile
        if let witnessFile {
            target = witnessFile
        } else {
            target = try disk.open(DiskPath.join(directory, LogFile.witness), .createOrOpen)
            witnessFile = target
            // Held by this process already, unless the file is new (`WriterLock`).
            _ = try disk.lock(target)
            try site.hold(target)
            // What is longer is none, and would be none with a witness at its beginning.
            if try disk.size(of: target) > Witness.fileSize { try disk.truncate(target, to: 0) }
        }
        Witness(identity: identity, position: head.position, lastSeq: head.lastSeq, hash: head.hash)
            .write(into: &witnessBytes)
        try disk.writeAll(target, witnessBytes.bytes, at: 0)
    }

    /// Makes the witness durable, if this writer has written anything.
    func syncWitness(evenUnused: Bool = false) throws(DiskError) {
        if hasWritten || evenUnused, let witnessFile { try disk.syncData(witnessFile) }
    }

    /// A file that was removed takes every write and every sync, and nobody will ever read it.
    private func checkName(of file: DiskFile) throws(DiskError) {
        guard try disk.status(of: file).names > 0 else { throw DiskError(.find, file.path, ErrorCode.notFound) }
    }

    public func close() {
        if let file { disk.close(file) }
        if let witnessFile { disk.close(witnessFile) }
        file = nil
        witnessFile = nil
    }
}

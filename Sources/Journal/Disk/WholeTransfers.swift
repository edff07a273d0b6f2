/// What every caller would otherwise write again: short reads and writes completed, small files whole.
extension Disk {
    /// Fills the buffer from `offset` on and returns the bytes read; fewer than asked only at the end of the file.
    public func readAll(
        _ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(file, into: rest, at: offset + done)
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes every byte, or throws; what was written of it before the error stays written.
    public func writeAll(_ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        var done = 0
        while done < bytes.count {
            done += try write(file, UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + done)
        }
    }

    /// Writes every byte, or throws; what was written of it before the error stays written.
    public func writeAll(_ file: DiskFile, _ bytes: [UInt8], at offset: Int) throws(DiskError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(DiskError) in
            try writeAll(file, UnsafeRawBufferPointer(buffer), at: offset)
        }
    }

    /// The whole of a small file; "File too large" when it is longer than `limit` bytes.
    public func contents(of path: String, limit: Int) throws(DiskError) -> [UInt8] {
        let file = try open(path, .read)
        defer { close(file) }
        let size = try size(of: file)
        guard size <= limit else { throw DiskError(.read, path, ErrorCode.tooLarge) }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
            try readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        bytes.removeLast(size - count)
        return bytes
    }

    /// Puts these bytes at `path` so that a crash at any moment leaves the old file or the new one, never a mix.
    ///
    /// When it returns, the new one is durable. A file `path.tmp` may be left by a crash; the next call replaces it.
    public func writeAtomically(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let draft = path + ".tmp"
        do throws(DiskError) {
            try writeDurably(draft, bytes)
            try rename(draft, to: path)
        } catch {
            try? remove(draft)
            throw error
        }
        try syncDirectory(DiskPath.parent(of: path))
    }

    private func writeDurably(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let file = try openDraft(path)
        defer { close(file) }
        try writeAll(file, bytes, at: 0)
        try syncData(file)
    }

    /// A new, empty file that is to be renamed. What lies at its path is removed and not written to: a crash's draft, or
    /// another file that somebody planted under that name.
    public func openDraft(_ path: String) throws(DiskError) -> DiskFile {
        do throws(DiskError) { return try open(path, .create) } catch  where error.isAlreadyThere {
            try remove(path)
            return try open(path, .create)
        }
    }
}

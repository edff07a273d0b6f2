internal import Dispatch
public import Journal
internal import Synchronization

/// A simulated disk that can be stopped in the middle of a sync, or in front of a file that is to be read, for as long as a
/// test wants to look around.
public final class GatedDisk: Disk {
    public let disk = SimulatedDisk()
    private let isShut = Mutex(false)
    private let isShutForReaders = Mutex(false)
    private let openedForReaders = DispatchSemaphore(value: 0)
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let gone: @Sendable () -> Void

    /// - Parameter gone: called when nobody holds the disk any more.
    public init(gone: @escaping @Sendable () -> Void = {}) { self.gone = gone }

    deinit { gone() }

    /// From here on, whoever syncs a file waits in front of it.
    public func shut() { isShut.withLock { $0 = true } }

    /// Returns when somebody stands at the gate; false when nobody comes.
    public func waitForArrival() -> Bool { arrived.wait(timeout: .now() + 600) == .success }

    /// Lets the one at the gate through, and everyone after.
    public func open() {
        isShut.withLock { $0 = false }
        opened.signal()
    }

    /// From here on, whoever opens a file to read it waits in front of it.
    public func shutForReaders() { isShutForReaders.withLock { $0 = true } }

    /// Lets those through, and everyone after.
    public func openForReaders() {
        isShutForReaders.withLock { $0 = false }
        openedForReaders.signal()
    }

    public func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
        if mode == .read, isShutForReaders.withLock({ $0 }) {
            arrived.signal()
            openedForReaders.wait()
            // The next in the row.
            openedForReaders.signal()
        }
        return try disk.open(path, mode)
    }

    public func syncData(_ file: DiskFile) throws(DiskError) {
        if isShut.withLock({ $0 }) {
            arrived.signal()
            opened.wait()
        }
        try disk.syncData(file)
    }
}

extension GatedDisk {
    public func close(_ file: DiskFile) { disk.close(file) }

    public func size(of file: DiskFile) throws(DiskError) -> Int { try disk.size(of: file) }

    public func read(
        _ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int { try disk.read(file, into: buffer, at: offset) }

    public func write(
        _ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int { try disk.write(file, bytes, at: offset) }

    public func truncate(_ file: DiskFile, to size: Int) throws(DiskError) { try disk.truncate(file, to: size) }

    public func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }

    public func rename(_ from: String, to: String) throws(DiskError) { try disk.rename(from, to: to) }

    public func remove(_ path: String) throws(DiskError) { try disk.remove(path) }

    public func list(_ path: String) throws(DiskError) -> [String] { try disk.list(path) }

    public func makeDirectory(_ path: String) throws(DiskError) { try disk.makeDirectory(path) }

    public func status(of path: String) throws(DiskError) -> DiskStatus? { try disk.status(of: path) }

    public func status(of file: DiskFile) throws(DiskError) -> DiskStatus { try disk.status(of: file) }

    public func freeSpace(at path: String) throws(DiskError) -> Int { try disk.freeSpace(at: path) }

    public func lock(_ file: DiskFile) throws(DiskError) -> Bool { try disk.lock(file) }
}

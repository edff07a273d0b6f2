internal import Dispatch
package import Journal
internal import Synchronization

/// A simulated disk that can be stopped in the middle of a sync, for as long as a test wants to look around.
package final class GatedDisk: Disk {
    package let disk = SimulatedDisk()
    private let isShut = Mutex(false)
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    package init() {}

    /// From here on, whoever syncs a file waits in front of it.
    package func shut() { isShut.withLock { $0 = true } }

    /// Returns when somebody stands at the gate; false when nobody comes.
    package func waitForArrival() -> Bool { arrived.wait(timeout: .now() + 600) == .success }

    /// Lets the one at the gate through, and everyone after.
    package func open() {
        isShut.withLock { $0 = false }
        opened.signal()
    }

    package func syncData(_ file: DiskFile) throws(DiskError) {
        if isShut.withLock({ $0 }) {
            arrived.signal()
            opened.wait()
        }
        try disk.syncData(file)
    }
}

extension GatedDisk {
    package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile { try disk.open(path, mode) }

    package func close(_ file: DiskFile) { disk.close(file) }

    package func size(of file: DiskFile) throws(DiskError) -> Int { try disk.size(of: file) }

    package func read(
        _ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int { try disk.read(file, into: buffer, at: offset) }

    package func write(
        _ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int { try disk.write(file, bytes, at: offset) }

    package func truncate(_ file: DiskFile, to size: Int) throws(DiskError) { try disk.truncate(file, to: size) }

    package func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }

    package func rename(_ from: String, to: String) throws(DiskError) { try disk.rename(from, to: to) }

    package func remove(_ path: String) throws(DiskError) { try disk.remove(path) }

    package func list(_ path: String) throws(DiskError) -> [String] { try disk.list(path) }

    package func makeDirectory(_ path: String) throws(DiskError) { try disk.makeDirectory(path) }

    package func status(of path: String) throws(DiskError) -> DiskStatus? { try disk.status(of: path) }

    package func freeSpace(at path: String) throws(DiskError) -> Int { try disk.freeSpace(at: path) }

    package func lock(_ file: DiskFile) throws(DiskError) -> Bool { try disk.lock(file) }
}

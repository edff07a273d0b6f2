import Dispatch
import Journal
import Simulation
import Synchronization

/// A simulated disk that can be stopped in the middle of a sync, for as long as a test wants to look around.
final class GatedDisk: Disk {
    let disk = SimulatedDisk()
    private let isShut = Mutex(false)
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// From here on, whoever syncs a file waits in front of it.
    func shut() { isShut.withLock { $0 = true } }

    /// Returns when somebody stands at the gate; false when nobody comes.
    func waitForArrival() -> Bool { arrived.wait(timeout: .now() + 20) == .success }

    /// Lets the one at the gate through, and everyone after.
    func open() {
        isShut.withLock { $0 = false }
        opened.signal()
    }

    func syncData(_ file: DiskFile) throws(DiskError) {
        if isShut.withLock({ $0 }) {
            arrived.signal()
            opened.wait()
        }
        try disk.syncData(file)
    }
}

extension GatedDisk {
    func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile { try disk.open(path, mode) }

    func close(_ file: DiskFile) { disk.close(file) }

    func size(of file: DiskFile) throws(DiskError) -> Int { try disk.size(of: file) }

    func read(
        _ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int { try disk.read(file, into: buffer, at: offset) }

    func write(
        _ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int { try disk.write(file, bytes, at: offset) }

    func truncate(_ file: DiskFile, to size: Int) throws(DiskError) { try disk.truncate(file, to: size) }

    func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }

    func rename(_ from: String, to: String) throws(DiskError) { try disk.rename(from, to: to) }

    func remove(_ path: String) throws(DiskError) { try disk.remove(path) }

    func list(_ path: String) throws(DiskError) -> [String] { try disk.list(path) }

    func makeDirectory(_ path: String) throws(DiskError) { try disk.makeDirectory(path) }

    func status(of path: String) throws(DiskError) -> DiskStatus? { try disk.status(of: path) }

    func freeSpace(at path: String) throws(DiskError) -> Int { try disk.freeSpace(at: path) }

    func lock(_ file: DiskFile) throws(DiskError) -> Bool { try disk.lock(file) }
}

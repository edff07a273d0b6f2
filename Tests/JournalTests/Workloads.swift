@testable import Journal
import Simulation
import Testing

/// A script of a worker's life, to be cut off at every one of its disk operations.
struct Workload: Sendable, CustomTestStringConvertible {
    let name: String
    var options = JournalOptions(segmentBytesMax: 2000, snapshotEveryBytes: 1 << 20)
    let run: @Sendable (Scribe) throws -> Void

    var testDescription: String { name }

    static let all = [oneByOne, batches, rotation, overlapping, reopened, snapshots]

    static let oneByOne = Workload(name: "one commit at a time, with duplicates") { scribe in
        try scribe.open()
        for round in 0..<5 {
            try scribe.append(1 + round % 3, again: [1, 2, round])
            try scribe.commit()
        }
        try scribe.append([Sample.entry(1)])
        try scribe.commit()
    }

    static let batches = Workload(name: "several commits in one batch") { scribe in
        try scribe.open()
        for _ in 0..<4 {
            for count in 1...3 { try scribe.append(count, again: [4]) }
            try scribe.commit()
        }
    }

    static let rotation = Workload(
        name: "a segment for every few commits",
        options: JournalOptions(segmentBytesMax: 900, snapshotEveryBytes: 1 << 20)
    ) { scribe in
        try scribe.open()
        for _ in 0..<3 {
            try scribe.append(2)
            try scribe.commit()
        }
        // One commit() that fills several segments.
        for count in [3, 1, 2, 4, 1] { try scribe.append(count, again: [2, 5]) }
        try scribe.commit()
    }

    static let overlapping = Workload(
        name: "batches that collect while others are written",
        options: JournalOptions(segmentBytesMax: 1500, snapshotEveryBytes: 1 << 20)
    ) { scribe in
        try scribe.open()
        try scribe.append(1)
        for count in [1, 2, 3, 1, 5] { try scribe.writeBatch(appending: count) }
        try scribe.commit()
    }

    static let reopened = Workload(name: "closed and opened again") { scribe in
        for count in 1...3 {
            try scribe.open()
            try scribe.append(count, again: [1, 4])
            try scribe.commit()
            try scribe.append(1)
            try scribe.close()
        }
    }

    static let snapshots = Workload(
        name: "an index snapshot at every close",
        options: JournalOptions(segmentBytesMax: 900, snapshotEveryBytes: 0)
    ) { scribe in
        for count in 1...3 {
            try scribe.open()
            try scribe.append(count, again: [1, 4])
            try scribe.append(2)
            try scribe.close()
        }
    }
}

extension Workload {
    func scribe(seed: UInt64 = 0) -> Scribe { Scribe(on: SimulatedDisk(seed: seed), options) }

    /// How many operations the whole script takes.
    func operations() throws -> Int {
        let scribe = scribe()
        try run(scribe)
        try scribe.checkWhole()
        return scribe.disk.operations
    }

    /// Runs the script on a disk whose power goes after operation `k`.
    func cut(after k: Int, half: Bool) throws -> Scribe {
        let scribe = scribe(seed: UInt64(k))
        scribe.disk.crash(after: k, half: half)
        do { try run(scribe) } catch  where !scribe.disk.isPowered {}
        return scribe
    }
}

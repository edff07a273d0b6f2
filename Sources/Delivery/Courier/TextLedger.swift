internal import Dispatch
internal import Synchronization

/// Which texts are under way: a small file beside the log, written before a text is handed to its provider.
///
/// Nothing keeps a text from coming twice, so one that may have been taken is not sent again (`N5`), not even by the worker
/// that starts after this one was killed. That worker finds here which of the jobs that have no outcome it must not send.
///
/// ```
/// + POSITION SEQ      from now on it may be taken; on the disk before it is handed over
/// - POSITION SEQ      it was surely not taken, or its outcome is in the log; on the disk some time later
/// ```
/// Each `-` ends one `+`. One that a power failure loses leaves a text noted whose job has its outcome, which nobody asks
/// about again.
///
/// Safe to share: the file and what is under way are the queue's own.
public final class TextLedger: @unchecked Sendable {
    public static let name = "texts.underway"

    private struct Asked: Sendable {
        var places: [JobPlace]
        var answer: @Sendable (Bool) -> Void
    }

    private let directory: String
    /// The directory itself, whatever lies under its name by now.
    private let folder: SystemFiles.Open
    private let path: String
    private let queue = DispatchQueue(label: "belfry.texts")
    private let inbox = Mutex<[Asked]>([])

    // The queue's own.
    private var file: SystemFiles.Open
    private var underWay: [JobPlace: Int]
    private var size: Int
    /// Whether it ends with a whole line: half a one would spoil the next.
    private var isWhole = true

    private static let bytesMax = 4 << 20
    private static let lineBytesMax = 44
    /// The file is written anew when it has so much more than what is under way.
    private static let bytesSpent = 64 << 10

    /// - Parameter directory: the log's; the caller holds it.
    public init(in directory: String) throws(SendersError) {
        self.directory = directory
        path = "\(directory)/\(Self.name)"
        do throws(SystemFailure) {
            folder = try SystemFiles.openDirectory(directory)
            let known = try SystemFiles.readIfThere(path, bytesMax: Self.bytesMax)
            let left = Self.underWay(String(decoding: known, as: UTF8.self))
            underWay = Dictionary(uniqueKeysWithValues: left.map { ($0, 1) })
            size = try Self.write(underWay, to: path)
            file = try SystemFiles.openToAppend(path)
        } catch {
            throw SendersError("", "can note no texts that are under way: cannot \(error)")
        }
    }

    /// What lines say; the last may be torn.
    private static func underWay(_ text: String) -> Set<JobPlace> {
        var counts: [JobPlace: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, let position = UInt64(words[1]), let seq = UInt64(words[2]) else { continue }
            counts[JobPlace(position: position, seq: seq), default: 0] += words[0] == "+" ? 1 : -1
        }
        return Set(counts.lazy.filter { $0.value > 0 }.map(\.key))
    }

    private static func line(_ sign: String, _ place: JobPlace) -> String { "\(sign) \(place.position) \(place.seq)\n" }

    /// Answers whether these are noted, so that they may be handed over. Those that come while the disk is busy share the
    /// next write.
    func note(_ places: [JobPlace], answer: @escaping @Sendable (Bool) -> Void) {
        inbox.withLock { $0.append(Asked(places: places, answer: answer)) }
        queue.async {
            let asked = self.inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            guard !asked.isEmpty else { return }
            let places = asked.flatMap(\.places)
            for place in places { self.underWay[place, default: 0] += 1 }
            let isNoted = self.append("+", places) && self.isDurable() || self.writeAnew()
            if !isNoted { self.leave(places) }
            for one in asked { one.answer(isNoted) }
        }
    }

    /// They are under way no more. What was never noted is passed over.
    func strike(_ places: [JobPlace]) {
        guard !places.isEmpty else { return }
        queue.async {
            let known = places.filter { self.underWay[$0] != nil }
            self.leave(known)
            self.end(known)
        }
    }

    private func end(_ tries: [JobPlace]) {
        _ = append("-", tries)
        if size > Self.bytesSpent + underWay.count * Self.lineBytesMax { _ = writeAnew() }
    }

    private func leave(_ places: [JobPlace]) {
        for place in places {
            guard let count = underWay[place] else { continue }
            underWay[place] = count > 1 ? count - 1 : nil
        }
    }

    /// Puts a file of all that is under way in its place; in another directory that took this one's place it would be another's.
    ///
    /// A failure may leave the new one under the name, and the old one open: `isDurable` finds that.
    private func writeAnew() -> Bool {
        guard SystemFiles.lies(folder, at: directory), let written = try? Self.write(underWay, to: path),
            let anew = try? SystemFiles.openToAppend(path)
        else { return false }
        size = written
        isWhole = true
        file = anew
        return true
    }

    private static func write(_ underWay: [JobPlace: Int], to path: String) throws(SystemFailure) -> Int {
        let lines = underWay.map { String(repeating: line("+", $0.key), count: $0.value) }
        let bytes = Array(lines.joined().utf8)
        try SystemFiles.replace(path, with: bytes)
        return bytes.count
    }

    /// Those that are under way, or were when the worker before ended. Only for threads that may wait.
    func noted(in positions: Range<UInt64>) -> Set<JobPlace> {
        queue.sync { Set(underWay.keys.lazy.filter { positions.contains($0.position) }) }
    }

    /// The log has the outcome of these: no try of theirs is under way.
    func forget(_ places: Set<JobPlace>) {
        guard !places.isEmpty else { return }
        queue.async {
            let tries = places.flatMap { Array(repeating: $0, count: self.underWay.removeValue(forKey: $0) ?? 0) }
            self.end(tries)
        }
    }

    /// Waits until all that was struck is written.
    func finish() { queue.sync {} }

    private func append(_ sign: String, _ places: [JobPlace]) -> Bool {
        guard isWhole else { return false }
        let lines = Array(places.map { Self.line(sign, $0) }.joined().utf8)
        guard SystemFiles.write(lines, to: file.descriptor).code == 0 else {
            isWhole = (try? SystemFiles.cut(file, to: size)) != nil
            return false
        }
        size += lines.count
        return true
    }

    /// A file that was removed or replaced takes every write and every sync, and the next worker reads another.
    private func isDurable() -> Bool {
        (try? SystemFiles.sync(file, path)) != nil && SystemFiles.lies(file, at: path)
    }
}

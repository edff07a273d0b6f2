internal import CivilTime
internal import Hashing

/// The file of what is revoked: a part that is written as a whole and ends with its hash, and behind it a line for each change
/// since, with a hash of its own.
extension RevokedTokens {
    /// What is to become of the file. Durable when it is done.
    public enum Write: Sendable {
        /// All of it is this.
        case whole([UInt8])
        /// It goes on with a line where the last whole one ends; what lies behind that is of no line.
        case line([UInt8], at: Int)
        /// Beside it, what is to be all of it soon.
        case draft([UInt8])
        /// That takes its place, with lines that were added meanwhile.
        case draftInPlace(adding: [UInt8])
    }

    /// Why a file is not what was revoked.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        public var line: Int
        public var description: String { "line \(line) is not what was written there" }
    }

    private static let title = "belfry revoked tokens 4"
    /// Those of versions that wrote all of it each time. The first two kept people who were erased by name, and the first did not count
    /// them either.
    private static let olderTitles = ["belfry revoked tokens 1", "belfry revoked tokens 2", "belfry revoked tokens 3"]
    private static let titlesWithNames = olderTitles.dropLast()

    // MARK: Writing

    var bytes: [UInt8] {
        var lines = [namesErased ? Self.olderTitles[1] : Self.title]
        // First: whatever is in front of it ends with it.
        if let everybody { lines.append(Self.text(.everybody(everybody))) }
        if let unmarked { lines.append(Self.text(.unmarked(unmarked))) }
        lines += erased.sorted { $0.key < $1.key }.map { Self.text(.erased(log: $0.key, count: $0.value)) }
        lines += erasedMarks.sorted { $0.key < $1.key }.map { Self.text(.mark($0.key, $0.value)) }
        lines += all.sorted { $0.key < $1.key }.map { Self.text(.all($0.key, $0.value)) }
        for (person, ids) in single.sorted(by: { $0.key < $1.key }) {
            lines += ids.sorted { $0.key < $1.key }.map { Self.text(.one(person: person, id: $0.key, at: $0.value)) }
        }
        let text = lines.joined(separator: "\n") + "\n"
        return Array((text + "\(Digest(of: Array(text.utf8)))\n").utf8)
    }

    /// What is revoked at once is one line, which is there or not.
    static func line(_ words: [Word]) -> [UInt8] {
        let text = words.map(text).joined(separator: ";")
        return Array("\(text) \(Digest(of: Array(text.utf8)))\n".utf8)
    }

    private static func text(_ word: Word) -> String {
        func text(_ words: String, _ end: All) -> String {
            "\(words) \(end.before.milliseconds) \(end.revokedAt.milliseconds)"
        }
        return switch word {
        case .everybody(let end): text("everybody", end)
        case .unmarked(let end): text("unmarked", end)
        case .erased(let log, let count): "erased \(log) \(count)"
        case .mark(let mark, let end): text("mark \(mark)", end)
        case .all(let person, let end): text("all \(person)", end)
        case .one(let person, let id, let instant): "one \(person) \(id) \(instant.milliseconds)"
        case .gone(let person): "gone \(person)"
        }
    }

    // MARK: Reading

    /// Read strictly: a file that is cut short would let in whom it forgot. Only of a last line that was added a part may be missing: a crash
    /// cut it off before anybody was told that it is there.
    public init(_ bytes: [UInt8]) throws(Unreadable) {
        self.init()
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let title = String(validating: lines[0], as: UTF8.self) ?? ""
        guard lines.count >= 3, title == Self.title || Self.olderTitles.contains(title) else {
            throw Unreadable(line: 1)
        }
        // All but a hash are of several words.
        guard let hash = lines.dropFirst().firstIndex(where: { !$0.contains(0x20) }), hash + 1 < lines.count,
            lines[hash].elementsEqual("\(Digest(of: Array(bytes[..<lines[hash].startIndex])))".utf8)
        else { throw Unreadable(line: lines.count) }
        for place in 1..<hash {
            guard let word = Self.word(lines[place]) else { throw Unreadable(line: place + 1) }
            take([word])
        }
        var (length, added) = (lines[hash].endIndex + 1, 0)
        // Behind the last line there is nothing.
        for place in lines.indices.dropFirst(hash + 1) where place + 1 < lines.count || !lines[place].isEmpty {
            guard title == Self.title else { throw Unreadable(line: place + 1) }
            if place + 1 < lines.count, let words = Self.words(lines[place]) {
                take(words)
                length = lines[place].endIndex + 1
                added += 1
            } else if !Self.isCut(place, lines) {
                throw Unreadable(line: place + 1)
            }
        }
        wasRead(
            length: title == Self.title ? length : nil, added: added,
            namesErased: Self.titlesWithNames.contains(title) && !erased.isEmpty)
    }

    /// Whether a crash was in the middle of the line: its end is missing, or there are zeros where it did not reach the disk.
    private static func isCut(_ place: Int, _ lines: [ArraySlice<UInt8>]) -> Bool {
        if place + 1 == lines.count { return true }
        return place + 2 == lines.count && lines[place + 1].isEmpty && lines[place].contains(0)
    }

    /// `nil` where the line is not as it was written.
    private static func words(_ line: ArraySlice<UInt8>) -> [Word]? {
        guard let end = line.lastIndex(of: 0x20) else { return nil }
        let said = line[..<end]
        guard line[(end + 1)...].elementsEqual("\(Digest(of: Array(said)))".utf8) else { return nil }
        var words: [Word] = []
        for piece in said.split(separator: UInt8(ascii: ";")) {
            guard let word = word(piece) else { return nil }
            words.append(word)
        }
        return words
    }

    private static func word(_ piece: ArraySlice<UInt8>) -> Word? {
        guard let text = String(validating: piece, as: UTF8.self) else { return nil }
        let words = text.split(separator: " ").map(String.init)
        guard let kind = words.first, let last = words.last else { return nil }
        if kind == "gone", words.count == 2 { return .gone(last) }
        guard let last = Int64(last) else { return nil }
        let number = words.dropLast().last.flatMap(Int64.init)
        func all(_ before: Int64) -> All {
            All(before: Instant(milliseconds: before), revokedAt: Instant(milliseconds: last))
        }
        switch (kind, words.count, number) {
        case ("all", 4, let before?): return .all(words[1], all(before))
        case ("one", 4, _): return .one(person: words[1], id: words[2], at: Instant(milliseconds: last))
        case ("mark", 4, let before?): return .mark(words[1], all(before))
        case ("unmarked", 3, let before?): return .unmarked(all(before))
        case ("everybody", 3, let before?): return .everybody(all(before))
        case ("erased", 3, let log?): return .erased(log: Int(log), count: Int(last))
        default: return nil
        }
    }
}

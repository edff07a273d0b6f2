internal import Notices

/// The people's ids in an index snapshot, looked up where they lie in the file.
struct NameTable: Sendable {
    private let snapshot: SnapshotReader
    private let text: SnapshotReader.Section
    private let starts: SnapshotReader.Section

    /// `nil` where the snapshot does not hold.
    init?(_ snapshot: SnapshotReader) {
        guard let text = snapshot.sections.first(where: { $0.tag == IndexSnapshot.Tag.peopleText.rawValue }),
            let starts = snapshot.sections.first(where: { $0.tag == IndexSnapshot.Tag.peopleStarts.rawValue }),
            starts.size >= 8, starts.size % 8 == 0,
            (try? snapshot.holds(text)) == true, (try? snapshot.holds(starts)) == true
        else { return nil }
        self.snapshot = snapshot
        self.text = text
        self.starts = starts
    }

    /// Where the log stood when it was taken.
    var head: LogHead { snapshot.head }
    /// The last number says where the next id would begin.
    var count: Int { starts.size / 8 - 1 }

    func id(_ number: Int) -> String? {
        guard number < count, let bounds = try? snapshot.bytes(of: starts, number * 8..<number * 8 + 16),
            bounds.count == 16
        else { return nil }
        let (start, end) = bounds.withUnsafeBytes {
            (Int($0.word(0, as: UInt64.self)), Int($0.word(8, as: UInt64.self)))
        }
        guard start <= end, end <= text.size, let id = try? snapshot.bytes(of: text, start..<end) else { return nil }
        // As the roster leaves the id of somebody who was erased.
        return id.first == 0 ? Erased.person(UInt32(number)) : String(decoding: id, as: UTF8.self)
    }
}

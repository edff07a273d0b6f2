import Journal
import Worker

/// What a worker, or a command in its place, has to say of the log that it opened.
///
/// It claims no more than is known: only a whole witness shows that nothing acknowledged is missing from the end.
struct OpeningNote {
    var words: String
    var fields: [(String, String)]

    static func notes(on opening: WorkerOpening, _ disk: any Disk) -> [OpeningNote] {
        let anew = opening.erasedAnew.count
        guard anew > 0 else { return ending(of: opening, disk) }
        let words =
            "the log does not know of the erasure of \(counted(anew, "person", "people")) whose key is gone: it is a copy of before, and they are erased in it now"
        return ending(of: opening, disk) + [OpeningNote(words: words, fields: [("people", "\(anew)")])]
    }

    /// What is known of the end of the log.
    private static func ending(of opening: WorkerOpening, _ disk: any Disk) -> [OpeningNote] {
        let doubt = opening.recoveredWitness.doubt
        if let torn = TornTail(opening.recoveredTail, on: disk) {
            let claim =
                doubt.map { "whether anything in it was acknowledged is not known, since \($0)" }
                ?? "nothing acknowledged was in it"
            return [
                OpeningNote(
                    words: "an unfinished write was set aside; \(claim)",
                    fields: [("file", torn.keptIn), ("bytes", "\(torn.bytes)")])
            ]
        }
        guard let doubt else { return [] }
        let head = opening.core.head
        return [
            OpeningNote(
                words: "\(doubt), so an end that was cut off would not show; compare the head with the one noted last",
                fields: [("head", "\(head.hash)"), ("last_seq", "\(head.lastSeq)")])
        ]
    }

    /// As a command says it on standard error.
    var line: String { "note: \(words) (" + fields.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + ")" }
}

/// What a write that was not finished has left, and where it was set aside.
struct TornTail {
    let bytes: Int
    /// The file's own name.
    let keptIn: String

    /// `nil` where the log ended whole.
    init?(_ tail: LogTail, on disk: any Disk) {
        guard case .torn(let file, let offset, let bytes) = tail else { return nil }
        self.bytes = bytes
        // Tails that were cut off at the same place are kept beside each other; this one is the last of them.
        var name = "\(file)-\(offset)"
        var number = 2
        while (try? disk.status(of: "\(file)-\(offset)-\(number).torn")) != nil {
            name = "\(file)-\(offset)-\(number)"
            number += 1
        }
        keptIn = name + ".torn"
    }
}

import Journal

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

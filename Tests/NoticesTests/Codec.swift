import Foundation
import Notices
import Simulation
import Testing

/// Both encodings of a payload, and back.
extension Payload {
    var bytes: [UInt8] { GoldenFile(self).bytes }

    var json: String {
        var buffer = ByteBuffer()
        writeJSON(into: &buffer)
        return buffer.text
    }

    static func decode(_ number: Int, _ bytes: [UInt8]) throws(FieldError) -> Payload? {
        try bytes.withUnsafeBufferPointer { (bytes) throws(FieldError) in
            try decode(number, UnsafeRawBufferPointer(bytes))
        }
    }

    /// The type of this name, with nothing filled in.
    static func named(_ name: String) -> Payload? { all.first { $0.type.text == name } }

    static let facts = all.filter { $0.type.side == .fact && !$0.isErasure }
}

extension Payload: CustomTestStringConvertible {
    public var testDescription: String { type.text }
}

/// Bytes made by hand, through the wire format's own verbs.
func message(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
    var buffer = ByteBuffer()
    write(&buffer)
    return Array(buffer.bytes)
}

/// The refusal of a line, or `nil` when it was accepted.
func refusal(of line: String, _ reader: FactReader) -> String? {
    do {
        _ = try reader.read(line)
        return nil
    } catch {
        return "\(error)"
    }
}

/// A reader that knows a few zones, whatever the machine has.
func newReader() -> FactReader {
    FactReader { ["Europe/Paris", "Asia/Tokyo", "America/New_York", "UTC"].contains($0) ? nil : "is not a zone" }
}

/// More seeds and longer histories: `ops/test --long`.
let isLong = LongRun.isAskedFor

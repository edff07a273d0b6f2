import Notices

/// One field of a message as it stands in the bytes, tag and all.
struct WireOccurrence: Equatable {
    let number: Int
    let type: WireType
    let bytes: [UInt8]

    /// Cuts a message into its fields.
    static func all(in message: [UInt8]) throws(WireError) -> [WireOccurrence] {
        try message.withUnsafeBufferPointer { (buffer) throws(WireError) in
            let raw = UnsafeRawBufferPointer(buffer)
            var reader = WireReader(raw)
            var found: [WireOccurrence] = []
            var start = 0
            while let (number, type) = try reader.tag() {
                try reader.skip(type)
                let end = raw.count - reader.remaining
                found.append(WireOccurrence(number: number, type: type, bytes: Array(raw[start..<end])))
                start = end
            }
            return found
        }
    }

    /// A field with some plausible content of this wire type.
    static func plausible(_ number: Int, _ type: WireType) -> WireOccurrence {
        let bytes = message { buffer in
            buffer.appendTag(number, type)
            switch type {
            case .varint: buffer.appendVarint(300)
            case .fixed64: buffer.appendZeros(8)
            case .fixed32: buffer.appendZeros(4)
            case .bytes:
                buffer.appendVarint(UInt64(3))
                buffer.append("new" as StaticString)
            }
        }
        return WireOccurrence(number: number, type: type, bytes: bytes)
    }

    static let types: [WireType] = [.varint, .fixed64, .bytes, .fixed32]
}

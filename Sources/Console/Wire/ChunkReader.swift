/// Takes a body apart that comes in chunks (RFC 9112, section 7.1), strictly.
struct ChunkReader {
    private enum Place {
        /// In the digits of a size, so many of which were read.
        case size(digits: Int)
        /// Behind them: what a size's line says beyond the size is passed over.
        case extensions
        case sizeEnd
        case data
        case dataReturn
        case dataEnd
        /// In what follows the last chunk: fields, which are passed over, and an empty line.
        case trailer(lineBytes: Int)
        case trailerEnd(lineBytes: Int)
        case end
    }

    private static let overheadBytesMax = 16 << 10

    private var place = Place.size(digits: 0)
    private var left = 0
    /// What was not the body itself, nor the shortest way to write its chunks.
    private var overhead = 0

    var isAtEnd: Bool { if case .end = place { true } else { false } }

    /// Takes bytes up to the end of the body. Returns how many of them belong to it.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ each: (UnsafeRawBufferPointer) -> Void
    ) throws(WireProblem) -> Int {
        var next = 0
        while next < bytes.count, !isAtEnd {
            if case .data = place {
                let count = min(left, bytes.count - next)
                each(UnsafeRawBufferPointer(rebasing: bytes[next..<(next + count)]))
                next += count
                left -= count
                if left == 0 { place = .dataReturn }
            } else {
                try take(bytes[next])
                next += 1
            }
        }
        return next
    }

    private mutating func take(_ byte: UInt8) throws(WireProblem) {
        switch place {
        case .size(let digits): try takeSize(byte, digits)
        case .extensions:
            if byte == 0x0D { place = .sizeEnd } else { try passOver(byte, else: .chunkSize) }
        case .sizeEnd:
            guard byte == 0x0A else { throw .chunkSize }
            place = left == 0 ? .trailer(lineBytes: 0) : .data
        case .data: preconditionFailure("the bytes of a chunk are taken together")
        case .dataReturn:
            guard byte == 0x0D else { throw .chunkEnd }
            place = .dataEnd
        case .dataEnd:
            guard byte == 0x0A else { throw .chunkEnd }
            place = .size(digits: 0)
        case .trailer(let count):
            if byte == 0x0D {
                place = .trailerEnd(lineBytes: count)
            } else {
                try passOver(byte, else: .field)
                place = .trailer(lineBytes: count + 1)
            }
        case .trailerEnd(let count):
            guard byte == 0x0A else { throw .lineEnd }
            place = count == 0 ? .end : .trailer(lineBytes: 0)
        case .end: preconditionFailure("nothing is taken behind the end of a body")
        }
    }

    private mutating func takeSize(_ byte: UInt8, _ digits: Int) throws(WireProblem) {
        if let value = byte.hexValue {
            // 15 digits cannot overflow.
            guard digits < 15 else { throw .chunkSize }
            left = left << 4 | value
            place = .size(digits: digits + 1)
            return
        }
        guard digits > 0 else { throw .chunkSize }
        switch byte {
        case 0x0D: place = .sizeEnd
        case UInt8(ascii: ";"), 0x20, 0x09: place = .extensions
        default: throw .chunkSize
        }
    }

    private mutating func passOver(_ byte: UInt8, else problem: WireProblem) throws(WireProblem) {
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw problem }
        overhead += 1
        guard overhead <= Self.overheadBytesMax else { throw .chunkOverhead }
    }
}

extension UInt8 {
    fileprivate var hexValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self) - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self) - 0x41 + 10
        default: nil
        }
    }
}

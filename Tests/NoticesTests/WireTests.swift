import CivilTime
import Notices
import Testing

@Suite("The wire format")
struct WireTests {
    @Test func `numbers of every width are read back`() throws {
        let edges = (0...63).flatMap { bit -> [UInt64] in [1 << bit, (1 << bit) - 1, (1 << bit) + 1] } + [0, .max]
        for value in edges {
            let bytes = message { $0.appendVarint(value) }
            #expect(bytes.count == max(1, (64 - value.leadingZeroBitCount + 6) / 7))
            try bytes.withUnsafeBytes { (bytes) throws in
                var reader = WireReader(bytes)
                #expect(try reader.varint() == value)
                #expect(reader.isAtEnd)
            }
        }
    }

    @Test(arguments: [1, 6, 7, 8, 9, 16])
    func `numbers of every width are read back, whatever stands behind them`(count: Int) throws {
        let edges = (0...63).flatMap { bit -> [UInt64] in [1 << bit, (1 << bit) - 1, (1 << bit) + 1] } + [0, .max]
        for value in edges {
            for behind: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                let bytes = message {
                    $0.appendVarint(value)
                    for _ in 0..<count { $0.append(behind) }
                }
                try bytes.withUnsafeBytes { (bytes) throws in
                    var reader = WireReader(bytes)
                    #expect(try reader.varint() == value)
                    #expect(reader.remaining == count)
                }
            }
        }
    }

    @Test func `texts of every length are read back, and what is no text is refused`() throws {
        for length in 0...40 {
            let plain = Array("abcdefghijklmnopqrstuvwxyz0123456789./-:~".utf8.prefix(length))
            var texts = [plain]
            for place in 0..<length {
                texts.append(Array(plain[..<place]) + Array("é".utf8) + Array(plain[place...]))
                texts.append(Array(plain[..<place]) + [0xFF] + Array(plain[(place + 1)...]))
            }
            for text in texts {
                let bytes = message {
                    $0.appendVarint(UInt64(text.count))
                    for byte in text { $0.append(byte) }
                }
                try bytes.withUnsafeBytes { (bytes) throws in
                    var reader = WireReader(bytes)
                    guard !text.contains(0xFF) else {
                        #expect(throws: WireError.notUTF8) { try reader.text() }
                        return
                    }
                    #expect(Array(try reader.text().utf8) == text)
                }
            }
        }
    }

    @Test func `a number that is cut off is an error, wherever it is cut`() {
        for value: UInt64 in [128, 16_383, 16_384, 1 << 40, .max] {
            let whole = message { $0.appendVarint(value) }
            for count in 0..<whole.count {
                // In memory of its own: what is read behind its end is then noticed.
                #expect(throws: WireError.endedEarly) {
                    try Array(whole[..<count]).withUnsafeBytes { (bytes) throws in
                        var reader = WireReader(bytes)
                        _ = try reader.varint()
                    }
                }
            }
        }
    }

    @Test func `every wire type there is, and no other`() throws {
        for raw: UInt8 in 0..<8 {
            let read = Result { () throws in
                try [8 | raw, 0].withUnsafeBytes { (bytes) throws in
                    var reader = WireReader(bytes)
                    return try reader.tag()?.type
                }
            }
            if let type = WireType(rawValue: raw) {
                #expect(try read.get() == type)
            } else {
                #expect(throws: WireError.unknownWireType(raw)) { try read.get() }
            }
        }
    }

    @Test func `of a type that is not known nothing is wrong, whatever its bytes are`() throws {
        for bytes: [UInt8] in [[], [0xFF], [0], [0x0F], [8, 1]] {
            try bytes.withUnsafeBytes { (bytes) throws in #expect(try Payload.decode(9_999, bytes) == nil) }
        }
    }

    @Test(arguments: [0, 1, 126, 127, 128, 129, 16_382, 16_383, 16_384, 2_097_151, 2_097_152])
    func `a nested message of any length has its length in front`(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let bytes = message { buffer in
            buffer.appendText(1, "before")
            buffer.appendMessage(2) { buffer in buffer.append(text) }
            buffer.appendText(3, "after")
        }
        let fields = try WireOccurrence.all(in: bytes)
        #expect(fields.map(\.number) == [1, 2, 3])
        #expect(fields[1].bytes == message { $0.appendText(2, text) })
    }

    @Test func `messages nest`() throws {
        let bytes = message { buffer in
            buffer.appendMessage(1) { buffer in
                buffer.appendMessage(2) { buffer in buffer.append(String(repeating: "x", count: 200)) }
                buffer.appendMessage(3) { _ in }
            }
        }
        #expect(bytes.count == 208)
        try bytes.withUnsafeBytes { (bytes) throws in
            var outer = WireReader(bytes)
            #expect(try outer.tag()?.number == 1)
            var inner = WireReader(try outer.bytes())
            #expect(outer.isAtEnd && inner.remaining == 205)
            #expect(try inner.tag()?.number == 2)
            #expect(try inner.bytes().count == 200)
            #expect(try inner.tag()?.number == 3)
            #expect(try inner.bytes().isEmpty && inner.isAtEnd)
        }
    }

    @Test func `a length beyond the end is an error, whatever its size`() {
        for length: UInt64 in [1, 2, 1 << 31, 1 << 32, 1 << 63, .max] {
            let bytes = message { $0.appendVarint(length) }
            #expect(throws: WireError.endedEarly) {
                try bytes.withUnsafeBytes { (bytes) throws in
                    var reader = WireReader(bytes)
                    _ = try reader.bytes()
                }
            }
        }
    }

    @Test func `nothing at all is an empty message`() throws {
        var reader = WireReader(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(reader.isAtEnd && reader.remaining == 0)
        #expect(try reader.tag() == nil)
        #expect(throws: WireError.endedEarly) { try reader.varint() }
        #expect(throws: WireError.endedEarly) { try reader.fixed64() }
        #expect(throws: WireError.endedEarly) { try reader.skip(.fixed32) }
    }
}

@Suite("A line of the log")
struct EventLineTests {
    @Test func `its keys stand in the order of SPEC §12`() throws {
        var goal = GoalEnded()
        goal.goal = Identifier("g1")
        goal.outcome = .failed
        var event = Event(
            seq: 18, at: Instant(milliseconds: 1_772_460_000_000), user: "anna", id: "k-1",
            occurredAt: Instant(milliseconds: 1_772_459_999_999), payload: .goalEnded(goal))
        #expect(
            line(event)
                == #"{"seq":18,"at":"2026-03-02T14:00:00.000Z","type":"goal_ended","user":"anna","id":"k-1","#
                + #""occurred_at":"2026-03-02T13:59:59.999Z","data":{"goal":"g1","outcome":"failed"}}"#)
        event = Event(seq: .max, at: event.at, user: nil, payload: .workerStarted(WorkerStarted()))
        #expect(
            line(event)
                == #"{"seq":18446744073709551615,"at":"2026-03-02T14:00:00.000Z","type":"worker_started","#
                + #""data":{"version":"","tzdb":"","policy":""}}"#)
        event.payload = .appOpened(AppOpened())
        event.user = "a"
        #expect(line(event).hasSuffix(#","type":"app_opened","user":"a","data":{}}"#))
    }

    private func line(_ event: Event) -> String {
        var buffer = ByteBuffer()
        event.writeJSON(into: &buffer)
        return buffer.text
    }
}

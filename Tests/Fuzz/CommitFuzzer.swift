import CivilTime
import Hashing
@testable import Journal
import Notices

/// Any bytes as the body of a commit: events or an error, never a trap. What is decoded is written so that it is read
/// the same again.
///
/// Built and run by `ops/fuzz commits`, outside the package.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommit(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard input.count >= 16 else { return 0 }
    // A frame's own numbers come from the disk as well.
    let bytes = input.piece(16, input.count - 16)
    let frame = Frame(
        position: input.word(0), firstSeq: input.word(8), at: Instant(milliseconds: 0), body: bytes, bytes: bytes,
        durableBefore: 0, sealer: nil, previousHash: .zero)
    var body = CommitBody(frame)
    while let item = try? body.next() {
        guard case .event(let event) = item else { continue }
        _ = try? event.idText()
        if let payload = try? event.decoded() { check(payload, event) }
    }
    return 0
}

private func check(_ payload: Payload, _ event: RawEvent) {
    var bytes = ByteBuffer()
    payload.encode(into: &bytes)
    guard let decoded = try? Payload.decode(payload.type.number, bytes.bytes) else {
        fatalError("what was encoded is not decoded: \(payload)")
    }
    var again = ByteBuffer()
    decoded.encode(into: &again)
    precondition(again.bytes.elementsEqual(bytes.bytes), "decoding changed \(payload) to \(decoded)")

    var line = ByteBuffer()
    Event(
        seq: event.seq, at: event.at, user: nil, id: try? event.idText(), occurredAt: event.occurredAt, payload: payload
    )
    .writeJSON(into: &line)
    precondition(!line.bytes.contains(UInt8(ascii: "\n")), "more than one line: \(line.text)")
    // The reader takes no NUL, which a text of a foreign log may hold.
    guard !line.text.contains("\\u0000") else { return }
    do { _ = try JSONTape().parse(line.bytes) } catch {
        fatalError("what was written is not JSON: \(error) in \(line.text)")
    }
}

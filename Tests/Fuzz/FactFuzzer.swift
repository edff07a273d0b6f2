import Notices

/// Any bytes as a line from a sender. What is accepted must survive the log unchanged; nothing may trap.
///
/// Built and run by `ops/fuzz facts`, outside the package.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFact(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let line = UnsafeRawBufferPointer(start: start, count: count)
    let reader = FactReader { $0.utf8.count % 2 == 0 ? nil : "is unknown" }
    guard let fact = try? reader.read(line) else { return 0 }
    check(fact.payload)
    check(fact.payload.recordable)
    return 0
}

private func check(_ payload: Payload) {
    var bytes = ByteBuffer()
    payload.encode(into: &bytes)
    guard let decoded = try? Payload.decode(payload.type.number, bytes.bytes) else {
        fatalError("what was encoded is not decoded: \(payload)")
    }
    var again = ByteBuffer()
    decoded.encode(into: &again)
    precondition(again.bytes.elementsEqual(bytes.bytes), "decoding changed \(payload) to \(decoded)")

    var json = ByteBuffer()
    payload.writeJSON(into: &json)
    do {
        let data = try JSONTape().parse(json.bytes)
        let read = try Payload.read(logged: data, of: payload.type.text)
        precondition(read == decoded, "\(json.text) was read as \(read)")
    } catch {
        fatalError("what was written is not read: \(error) in \(json.text)")
    }
}

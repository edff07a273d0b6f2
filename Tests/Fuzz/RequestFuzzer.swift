@testable import Console

/// Any bytes as what a client sends on one connection. Nothing may trap, and however the bytes are cut they must be read alike:
/// a request that is framed otherwise when it comes in pieces could be smuggled.
///
/// Built and run by `ops/fuzz requests`, outside the package.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let sent = bytes[1...]
    let whole = read(sent, inPiecesOf: sent.count)
    let cut = read(sent, inPiecesOf: Int(first % 16) + 1)
    precondition(whole == cut, "in one piece \(whole), in several \(cut)")
    return 0
}

private enum Step: Equatable {
    case head(RequestHead)
    case body([UInt8])
    case refused(WireProblem)
}

private func read(_ sent: ArraySlice<UInt8>, inPiecesOf size: Int) -> [Step] {
    var steps: [Step] = []
    var reader = HeadReader(bytesMax: 2048)
    var incoming: Incoming?
    var body: [UInt8] = []
    var input: [UInt8] = []
    var rest = sent
    do throws(WireProblem) {
        while !rest.isEmpty {
            input += rest.prefix(max(size, 1))
            rest = rest.dropFirst(max(size, 1))
            while true {
                if incoming == nil {
                    let found = try input.withUnsafeBufferPointer { (bytes) throws(WireProblem) -> HeadReader.Found? in
                        try reader.read(UnsafeRawBufferPointer(bytes))
                    }
                    guard let found else { break }
                    check(found.head.request)
                    steps.append(.head(found.head))
                    input.removeFirst(found.count)
                    reader = HeadReader(bytesMax: 2048)
                    incoming = Incoming(
                        found.head, refusal: nil, collector: BodyCollector(bytesMax: 1 << 20, isGzip: false))
                }
                let used = try input.withUnsafeBufferPointer { (bytes) throws(WireProblem) -> Int in
                    try incoming?.take(UnsafeRawBufferPointer(bytes)) { _ in true } ?? 0
                }
                input.removeFirst(used)
                guard let underway = incoming, underway.isWhole else { break }
                body = (try? underway.collector.finish { _ in true }) ?? []
                steps.append(.body(body))
                incoming = nil
                if input.isEmpty { break }
            }
        }
    } catch {
        steps.append(.refused(error))
    }
    return steps
}

private let router = Router(
    Service {
        Health(
            version: "", lastSeq: 0, recordedAt: nil, people: 0, waitingJobs: 0, uptimeSeconds: 0, whyNotReady: nil)
    })

/// What the router makes of a head must be an answer or a route, whatever it says.
private func check(_ request: HTTPRequest) {
    var request = request
    _ = router.meet(&request, .socket)
    precondition(!request.target.isEmpty && !request.target.utf8.contains { $0 <= 0x20 || $0 == 0x7F })
    for field in request.headers.fields {
        precondition(!field.name.isEmpty && !field.value.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F })
    }
}

@testable import Console
import Simulation
import Testing

/// Heads are read strictly, and alike however they come.
@Suite("Reading heads")
struct HeadTests {
    private static let bytesMax = 32 << 10

    /// What becomes of bytes that come in these pieces.
    private func read(_ pieces: [[UInt8]]) -> Result<HeadReader.Found?, WireProblem> {
        var reader = HeadReader(bytesMax: Self.bytesMax)
        var come: [UInt8] = []
        do throws(WireProblem) {
            for piece in pieces {
                come += piece
                let found = try come.withUnsafeBufferPointer { (bytes) throws(WireProblem) -> HeadReader.Found? in
                    try reader.read(UnsafeRawBufferPointer(bytes))
                }
                if let found { return .success(found) }
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    private func head(_ text: String) -> RequestHead? {
        guard case .success(let found?) = read([Array(text.utf8)]) else { return nil }
        return found.head
    }

    private func problem(_ text: String) -> WireProblem? {
        guard case .failure(let problem) = read([Array(text.utf8)]) else { return nil }
        return problem
    }

    private func lines(_ fields: [String], _ first: String = "POST /x HTTP/1.1") -> String {
        ([first] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    @Test func `a head is read with its fields in their order`() throws {
        let text = lines(["Host: b:80", "X-One:  1 \t", "x-two:", "Content-Length: 12"])
        let head = try #require(self.head(text))
        #expect(head.request.method == "POST")
        #expect(head.request.target == "/x")
        #expect(
            head.request.headers
                == HTTPHeaders([("Host", "b:80"), ("X-One", "1"), ("x-two", ""), ("Content-Length", "12")]))
        #expect(head.body == .length(12))
        #expect(head.keepsAlive)
        #expect(!head.awaitsContinue)
    }

    @Test func `empty lines in front of a request are passed over`() throws {
        #expect(head("\r\n\r\n" + lines(["Host: b"]))?.request.target == "/x")
    }

    @Test(arguments: [
        ("HTTP/1.1", "keep-alive", true), ("HTTP/1.1", "Close", false), ("HTTP/1.1", "x, close", false),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Keep-Alive", true), ("HTTP/1.0", "keep-alive, close", false),
        ("HTTP/1.7", "", true),
    ])
    func `whether the connection stays is what version and Connection say`(
        version: String, option: String, keepsAlive: Bool
    ) {
        let fields = ["Host: b"] + (option.isEmpty ? [] : ["Connection: \(option)"])
        #expect(head(lines(fields, "GET / \(version)"))?.keepsAlive == keepsAlive)
    }

    @Test(
        arguments: [
            (["Content-Length: 5", "Content-Length: 6"], WireProblem.severalLengths),
            (["Content-Length: 5", "Content-Length: 5"], .severalLengths),
            (["Content-Length: 5, 5"], .badLength("5, 5")), (["Content-Length: +5"], .badLength("+5")),
            (["Content-Length: -1"], .badLength("-1")), (["Content-Length: 0x10"], .badLength("0x10")),
            (["Content-Length:"], .badLength("")), (["Content-Length: ５"], .badLength("５")),
            (["Content-Length: 5", "Transfer-Encoding: chunked"], .lengthAndCoding),
            (["Transfer-Encoding: chunked", "Content-Length: 0"], .lengthAndCoding),
            (["Content-Length : 5"], .spaceBeforeColon), (["Transfer-Encoding\t: chunked"], .spaceBeforeColon),
            (["Transfer-Encoding: gzip"], .unknownCoding("gzip")),
            (["Transfer-Encoding: gzip, chunked"], .unknownCoding("gzip")),
            (["Transfer-Encoding: identity"], .unknownCoding("identity")),
            (["Transfer-Encoding: xchunked"], .unknownCoding("xchunked")),
            (["Transfer-Encoding: chunked;q=1"], .unknownCoding("chunked;q=1")),
            (["Transfer-Encoding: chunked, chunked"], .badCoding),
            (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], .badCoding),
            (["Transfer-Encoding: chunked,"], .badCoding), (["Transfer-Encoding:"], .badCoding),
            (["X: 1", " folded"], .foldedField), ([" X: 1"], .foldedField), (["no colon"], .field), ([": x"], .field),
            (["X Y: 1"], .field), (["X(: 1"], .field), (["X\u{00}: 1"], .control(0)), (["X: \u{00}"], .control(0)),
            (["X: \u{1B}[2J"], .control(0x1B)), (["X: \u{7F}"], .control(0x7F)), (["X: a\rb"], .lineEnd),
            (["X: a\nb: c"], .lineEnd), (["Expect: much"], .expectation),
            (["Host: c"], .badHost),
        ] as [([String], WireProblem)])
    func `what could be read in two ways is refused`(fields: [String], expected: WireProblem) {
        #expect(problem(lines(["Host: b"] + fields)) == expected)
    }

    @Test(arguments: [
        ("GET /", WireProblem.requestLine), ("GET  / HTTP/1.1", .target), ("GET / x HTTP/1.1", .target),
        (" GET / HTTP/1.1", .requestLine), ("GET / HTTP/1.1 ", .requestLine), ("GET / http/1.1", .requestLine),
        ("GET / HTTP/1.10", .requestLine), ("GET / HTTP/2.0", .version), ("GET / HTTP/0.9", .version),
        ("PRI * HTTP/2.0", .version), ("G:T / HTTP/1.1", .requestLine), ("\u{16}\u{03}\u{01}", .requestLine),
        ("GET /a\tb HTTP/1.1", .target), ("GET / HTTP/1.1\u{00}", .control(0)),
    ])
    func `a line that begins no request is refused`(line: String, expected: WireProblem) {
        let found = problem(lines(["Host: b"], line))
        #expect(found == expected || line.hasPrefix("\u{16}") && found == .control(0x16))
    }

    @Test func `Host is named once, and by HTTP 1 0 if it likes`() {
        #expect(problem(lines([])) == .noHost)
        #expect(problem(lines(["Host: a b"])) == .badHost)
        #expect(problem(lines(["Host: a/b"])) == .badHost)
        #expect(head(lines(["Host:"])) != nil)
        #expect(head(lines(["Host: [::1]:8080"])) != nil)
        #expect(head(lines([], "GET / HTTP/1.0")) != nil)
        #expect(problem(lines(["Host: a", "Host: a"], "GET / HTTP/1.0")) == .badHost)
        #expect(problem(lines(["Transfer-Encoding: chunked"], "GET / HTTP/1.0")) == .codingInOldVersion)
    }

    @Test func `a head has its limits`() {
        let fields = (0..<100).map { "X-\($0): y" }
        #expect(problem(lines(["Host: b"] + fields)) == .tooManyFields(most: 100))
        #expect(head(lines(["Host: b"] + fields.dropLast())) != nil)
        let long = String(repeating: "x", count: Self.bytesMax)
        #expect(problem(lines(["Host: b", "X: \(long)"])) == .headTooLarge(bytesMax: Self.bytesMax))
        #expect(problem("GET /" + long) == .targetTooLong)
        let target = "/" + String(repeating: "x", count: 8191)
        #expect(head(lines(["Host: b"], "GET \(target) HTTP/1.1")) != nil)
        #expect(problem(lines(["Host: b"], "GET \(target)x HTTP/1.1")) == .targetTooLong)
        #expect(head(lines(["Host: b", "Content-Length: 99999999999999999999999"]))?.body == .length(.max))
        #expect(head(lines(["Host: b", "Content-Length: 000"]))?.body == RequestHead.Body.none)
    }

    @Test(arguments: 0..<300) func `however the bytes are cut, they are read alike`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Array(lines(["Host: b", "Content-Length: 5", "X: \t y", "Expect: 100-continue"]).utf8)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = [0, 9, 10, 13, 32, 58, 97, 255].randomElement(using: &random) ?? 0
        }
        bytes += Array("hello".utf8)
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let (whole, cut) = (read([bytes]), read(pieces))
        #expect(whole == cut, "seed \(seed)")
    }
}

@Suite("Reading chunks")
struct ChunkTests {
    private func read(_ pieces: [[UInt8]]) -> (body: [UInt8], rest: [UInt8], problem: WireProblem?, isAtEnd: Bool) {
        var reader = ChunkReader()
        var (body, rest): ([UInt8], [UInt8]) = ([], [])
        for piece in pieces {
            guard !reader.isAtEnd else {
                rest += piece
                continue
            }
            do throws(WireProblem) {
                let used = try piece.withUnsafeBufferPointer { (bytes) throws(WireProblem) -> Int in
                    try reader.read(UnsafeRawBufferPointer(bytes)) { body += $0 }
                }
                rest += piece[used...]
            } catch {
                return (body, rest, error, false)
            }
        }
        return (body, rest, nil, reader.isAtEnd)
    }

    private func read(_ text: String) -> (body: String, rest: String, problem: WireProblem?, isAtEnd: Bool) {
        let read = read([Array(text.utf8)])
        return (
            String(decoding: read.body, as: UTF8.self), String(decoding: read.rest, as: UTF8.self), read.problem,
            read.isAtEnd
        )
    }

    @Test(arguments: [
        "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n000\r\n\r\n", "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: x\r\n\r\n",
        "0005\r\nhello\r\n0 ; x\r\n\r\n",
    ])
    func `a body in chunks is put together, and what follows is left`(text: String) {
        let read = read(text + "GET")
        #expect(read.body == "hello")
        #expect(read.rest == "GET")
        #expect(read.isAtEnd)
    }

    @Test(arguments: [
        ("\r\n", WireProblem.chunkSize), ("g\r\n", .chunkSize), ("-1\r\n", .chunkSize), ("0x5\r\n", .chunkSize),
        ("5\nhello", .chunkSize), ("5\r\rhello", .chunkSize), ("1000000000000000\r\n", .chunkSize),
        ("5;\nhello", .chunkSize), ("5\r\nhello0\r\n", .chunkEnd), ("5\r\nhello\n0\r\n", .chunkEnd),
        ("5\r\nhell\r\n0\r\n\r\n", .chunkEnd), ("0\r\nX: \u{00}\r\n\r\n", .field), ("0\r\nX: y\n\r\n", .field),
        ("0\r\n\rx", .lineEnd), ("5;" + String(repeating: "x", count: 17_000), .chunkOverhead),
    ])
    func `what could end a chunk elsewhere is refused`(text: String, expected: WireProblem) {
        #expect(read(text).problem == expected)
    }

    @Test(arguments: 0..<200) func `however the bytes are cut, they are read alike`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let body = (0..<Int.random(in: 1...5000, using: &random)).map { _ in
            UInt8.random(in: .min ... .max, using: &random)
        }
        var bytes = Client.chunks(of: body) + Array("0\r\n\r\nGET".utf8)
        if seed % 2 == 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
        }
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...max(1, rest.count / 3), using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let (whole, cut) = (read([bytes]), read(pieces))
        #expect(whole.body == cut.body, "seed \(seed)")
        #expect(whole.problem == cut.problem, "seed \(seed)")
        #expect(whole.isAtEnd == cut.isAtEnd, "seed \(seed)")
        if seed % 2 == 1 { #expect(whole.body == body && whole.isAtEnd, "seed \(seed)") }
    }
}

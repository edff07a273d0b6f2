// A client of Belfry in one file, with nothing but Swift's own libraries. Copy what you need.
//
//     swiftc -parse-as-library -O BelfryClient.swift -o belfry-client
//     export BELFRY_URL=http://127.0.0.1:8080 BELFRY_TOKEN=…
//     belfry-client send FACTS.jsonl      tells facts, each once, however often it has to be sent
//     belfry-client token USER [SECONDS]  makes a token with which USER's phone or page may ask for itself
//     belfry-client follow FILE           keeps the whole log in FILE as a warehouse would, and goes on where it stopped
//     belfry-client follow FILE PARTITION does so with one partition of a log that has several, each of which is a log by itself;
//                                         -1 is what was told about everyone
//
// Three habits are worth copying. Every fact has an id, so that it can be sent again when nobody knows whether it was taken.
// What is sent is packed. And a reader keeps its place together with what it has read, so that a crash in between neither
// loses an event nor stores one twice.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@main
struct BelfryClient {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2, let url = URL(string: setting("BELFRY_URL") ?? "http://127.0.0.1:8080") else {
            fail("usage: belfry-client send FACTS.jsonl | token USER [SECONDS] | follow FILE [PARTITION]")
        }
        let door = Door(url: url, token: setting("BELFRY_TOKEN") ?? "")
        switch words[0] {
        case "send": exit(try await Sending(door: door).send(file: words[1]))
        case "token":
            let seconds = words.count > 2 ? Int(words[2]) ?? 86_400 : 86_400
            print(try await door.token(for: words[1], seconds: seconds))
        case "follow":
            let partition = words.count > 2 ? Int(words[2]) : nil
            guard words.count < 3 || partition != nil else { fail("\(words[2]) is not the number of a partition") }
            try await Warehouse(door: door, path: words[1], partition: partition).follow()
        default: fail("there is no command \(words[0])")
        }
    }

    private static func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

func fail(_ problem: String) -> Never {
    FileHandle.standardError.write(Data((problem + "\n").utf8))
    exit(1)
}

/// The worker's address and the token that opens it.
struct Door: Sendable {
    let url: URL
    let token: String

    func request(_ path: String) -> URLRequest {
        var request = URLRequest(url: URL(string: path, relativeTo: url) ?? url)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    func post(_ path: String, _ body: Data, _ headers: [String: String]) async throws -> (Data, HTTPURLResponse) {
        var request = request(path)
        request.httpMethod = "POST"
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (answer, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (answer, response)
    }

    /// A token for one person.
    func token(for user: String, seconds: Int) async throws -> String {
        struct Made: Decodable { var token: String }
        let (answer, response) = try await post(
            "/v1/people/\(user)/tokens", try JSONEncoder().encode(["expires_in_seconds": seconds]),
            ["Content-Type": "application/json"])
        guard response.statusCode == 201 else {
            fail("\(response.statusCode): \(String(decoding: answer, as: UTF8.self))")
        }
        return try JSONDecoder().decode(Made.self, from: answer).token
    }
}

/// Waits before the next try: as long as the worker says, or a little longer each time.
func again(after tries: Int, told: String? = nil) async throws {
    // A proxy in between may name a moment instead; then it is tried as without a word.
    let seconds = told.flatMap { UInt32($0) }.map(Double.init) ?? min(0.2 * pow(2, Double(tries)), 10)
    try await Task.sleep(for: .seconds(seconds))
}

// MARK: Sending facts

struct Sending {
    struct Answer: Decodable {
        struct Result: Decodable {
            var line: Int
            var seq: UInt64?
            var duplicate_of: UInt64?
            var refused: String?
        }

        var results: [Result]?
        var in_doubt: Bool?
        var error: String?
    }

    private static let batch = 512
    /// A request may have 16 MiB, and a fact one.
    private static let batchBytes = 1 << 20
    /// 503: not now, or not all of them. 502 and 504 come from a proxy that had no answer of the worker, and nobody knows.
    private static let unanswered = 502...504
    let door: Door

    func send(file path: String) async throws -> Int32 {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let name = URL(fileURLWithPath: path).lastPathComponent
        // A line end of Windows is one character of Swift's.
        let facts = try text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.enumerated()
            .filter { !$0.element.allSatisfy(\.isWhitespace) }
            .map { (line: $0.offset + 1, text: try Self.withID($0.element, "\(name):\($0.offset + 1)")) }
        var (recorded, duplicates, refused) = (0, 0, 0)
        var left = facts[...]
        while !left.isEmpty {
            var (count, bytes) = (0, 0)
            while count < min(left.count, Self.batch), bytes < Self.batchBytes {
                bytes += left[left.startIndex + count].text.utf8.count
                count += 1
            }
            let batch = Array(left.prefix(count))
            left = left.dropFirst(count)
            for result in try await post(batch.map(\.text)) {
                if let problem = result.refused {
                    refused += 1
                    FileHandle.standardError.write(
                        Data("line \(batch[result.line - 1].line): \(problem)\n".utf8))
                } else if result.duplicate_of != nil {
                    duplicates += 1
                } else {
                    recorded += 1
                }
            }
        }
        print(#"{"recorded": \#(recorded), "duplicates": \#(duplicates), "refused": \#(refused)}"#)
        return refused > 0 ? 1 : 0
    }

    /// The fact with an id of its own: the same one whenever the same line of the same file is sent.
    private static func withID(_ line: Substring, _ place: String) throws -> String {
        guard var fact = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            fail("\(place): a fact is a JSON object")
        }
        if fact["id"] == nil { fact["id"] = "\(place):\(digest(of: line))" }
        let packed = try JSONSerialization.data(withJSONObject: fact, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: packed, as: UTF8.self)
    }

    /// FNV-1a: enough to tell one version of a line from another.
    private static func digest(of line: Substring) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    /// Sends facts until it is known what became of each.
    private func post(_ lines: [String]) async throws -> [Answer.Result] {
        let body = try Self.packed(Data(lines.joined(separator: "\n").utf8))
        let headers = ["Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"]
        for tries in 0... {
            guard let (bytes, response) = try? await door.post("/v1/facts", body, headers) else {
                // The connection broke, before or after they were taken.
                try await again(after: tries)
                continue
            }
            let answer = try? JSONDecoder().decode(Answer.self, from: bytes)
            let isUnanswered = Self.unanswered.contains(response.statusCode)
            // With "in_doubt" they may have been taken all the same; their ids make that no matter.
            if !isUnanswered, let results = answer?.results { return results }
            guard isUnanswered || answer?.in_doubt == true else {
                fail("\(response.statusCode): \(answer?.error ?? "")")
            }
            try await again(after: tries, told: response.value(forHTTPHeaderField: "Retry-After"))
        }
        return []
    }

    /// Foundation packs nothing on Linux; the system's gzip does.
    private static func packed(_ bytes: Data) throws -> Data {
        let (input, output) = (Pipe(), Pipe())
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-c"]
        (gzip.standardInput, gzip.standardOutput) = (input, output)
        try gzip.run()
        let writing = input.fileHandleForWriting
        Thread.detachNewThread {
            try? writing.write(contentsOf: bytes)
            try? writing.close()
        }
        return try output.fileHandleForReading.readToEnd() ?? Data()
    }
}

// MARK: Following the log

struct Warehouse {
    let door: Door
    let path: String
    let partition: Int?

    /// A stream says something at least every 15 seconds.
    private static let silence: TimeInterval = 60

    func follow() async throws {
        var tries = 0
        while true {
            let (last, file) = try opened()
            var isGoingOn = false
            for await piece in Stream(door, after: last, of: partition, silence: Self.silence).pieces {
                switch piece {
                case .event(let line):
                    isGoingOn = true
                    try file.write(contentsOf: Data((line + "\n").utf8))
                case .refused(let status, let problem): fail("\(status): \(problem)")
                }
            }
            try file.close()
            // The worker was stopped, or is being upgraded, or this reader was too slow: on from where the file ends.
            tries = isGoingOn ? 0 : min(tries + 1, 6)
            try await again(after: tries)
        }
    }

    /// The file, at its end, and the number of the last event in it. A line that a crash left unfinished is taken away.
    private func opened() throws -> (last: UInt64, file: FileHandle) {
        struct Stored: Decodable { var seq: UInt64 }
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else { fail("\(path) cannot be opened") }
        var (start, tail) = (try file.seekToEnd(), Data())
        let size = start
        while start > 0, tail.count(where: { $0 == 0x0A }) < 2 {
            let step = min(start, 1 << 16)
            start -= step
            try file.seek(toOffset: start)
            tail = (try file.read(upToCount: Int(step)) ?? Data()) + tail
        }
        let end = tail.lastIndex(of: 0x0A).map { tail.distance(from: tail.startIndex, to: $0) + 1 } ?? 0
        try file.truncate(atOffset: size - UInt64(tail.count - end))
        try file.seekToEnd()
        guard let line = tail.prefix(end).split(separator: 0x0A).last else { return (0, file) }
        return (try JSONDecoder().decode(Stored.self, from: Data(line)).seq, file)
    }
}

/// The events behind one, as they come, until the stream ends.
final class Stream: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    enum Piece: Sendable {
        /// One event, as JSON.
        case event(String)
        case refused(Int, String)
    }

    let pieces: AsyncStream<Piece>
    private let told: AsyncStream<Piece>.Continuation
    // Touched by the session's own queue alone.
    private var rest = Data()
    private var status = 200

    init(_ door: Door, after last: UInt64, of partition: Int?, silence: TimeInterval) {
        (pieces, told) = AsyncStream.makeStream()
        super.init()
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = silence
        settings.timeoutIntervalForResource = .infinity
        let part = partition.map { "&partition=\($0)" } ?? ""
        var request = door.request("/v1/events?from=\(last + 1)\(part)")
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        let session = URLSession(configuration: settings, delegate: self, delegateQueue: nil)
        session.dataTask(with: request).resume()
        session.finishTasksAndInvalidate()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        rest += data
        guard status == 200, let end = rest.lastIndex(of: 0x0A) else { return }
        for line in rest[...end].split(separator: 0x0A) where line.starts(with: Array("data: ".utf8)) {
            told.yield(.event(String(decoding: line.dropFirst(6), as: UTF8.self)))
        }
        rest = Data(rest[rest.index(after: end)...])
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if error == nil, status >= 400, status < 500 {
            told.yield(.refused(status, String(decoding: rest, as: UTF8.self)))
        }
        told.finish()
    }
}

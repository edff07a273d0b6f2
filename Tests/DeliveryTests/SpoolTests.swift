import Notices
import CivilTime
import Delivery
import Foundation
import Synchronization
import Testing

@Suite("--jobs spool:DIR", .unlessItHangs)
struct SpoolTests {
    @Test func `each job is a file of its own, named by its number, with its line`() async throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path + "/deep/down")
        let orders = [7, 12, 18_446_744_073_709_551_615].map { order($0) }
        let outcomes = await sink.takeAll(orders)
        #expect(outcomes == Array(repeating: .taken, count: 3))
        #expect(
            try scratch.names("/deep/down") == [
                "00000000000000000007.json", "00000000000000000012.json", "18446744073709551615.json",
            ])
        let bytes = try Data(contentsOf: URL(filePath: scratch.path + "/deep/down/00000000000000000012.json"))
        #expect(Array(bytes) == orders[1].line + [UInt8(ascii: "\n")])
    }

    @Test func `a job that is handed over again has the same name and the same bytes`() async throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        #expect(await sink.take(order(3)) == .taken)
        let file = URL(filePath: scratch.path + "/00000000000000000003.json")
        let before = try Data(contentsOf: file)
        #expect(await sink.take(order(3)) == .taken)
        #expect(try Data(contentsOf: file) == before)
        #expect(try scratch.names().count == 1)
    }

    @Test func `a reader never sees a half file`() async throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        let expected = Dictionary(
            uniqueKeysWithValues: (1...400).map { seq in
                let digits = String(seq)
                return (
                    String(repeating: "0", count: 20 - digits.count) + digits + ".json",
                    order(UInt64(seq)).line + [UInt8(ascii: "\n")]
                )
            })
        let isOver = Atomic(false)
        let path = scratch.path
        async let looks = Task.detached { () -> (seen: Int, half: [String]) in
            var (seen, half) = (0, [String]())
            repeat {
                for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasPrefix(".tmp-") {
                    seen += 1
                    let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
                    if Array(bytes) != expected[name] { half.append(name) }
                }
                // Where two threads are all there are, the other may be taken.
                await Task.yield()
            } while !isOver.load(ordering: .acquiring)
            return (seen, half)
        }.value
        // Twice, so that files are also replaced while they are read.
        for _ in 0..<2 {
            #expect(await sink.takeAll((1...400).map { order($0) }).allSatisfy { $0 == .taken })
        }
        isOver.store(true, ordering: .releasing)
        let (seen, half) = try await looks
        #expect(half == [])
        #expect(seen > 0)
        #expect(try scratch.names().count == 400)
    }

    @Test func `what an earlier run left half written is removed, and nothing else`() throws {
        let scratch = try Scratch()
        _ = try scratch.write("{\"seq\":", to: ".tmp-00000000000000000001")
        _ = try scratch.write("{}", to: "00000000000000000002.json")
        _ = try scratch.write("mine", to: ".hidden")
        let sink = try SpoolSink(directory: scratch.path)
        #expect(try scratch.names() == [".hidden", "00000000000000000002.json"])
        _ = sink
    }

    private func job(_ seq: UInt64, about user: String, at instant: Instant) throws -> Order {
        var event = jobEvent(seq)
        (event.user, event.at) = (user, instant)
        return try #require(Order(event))
    }

    @Test func `E4: what is cleared for somebody who was erased leaves the jobs of whoever has their id next`()
        async throws
    {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        let erased = newYear.advanced(byMilliseconds: 5000)
        let orders = [
            try job(1, about: "anna", at: newYear), try job(2, about: "bob", at: newYear),
            // The commit that erased them has one instant.
            try job(3, about: "anna", at: erased),
            try job(4, about: "anna", at: erased.advanced(byMilliseconds: 1)),
        ]
        #expect(await sink.takeAll(orders).allSatisfy { $0 == .taken })
        _ = try scratch.write(#"{"seq":5,"user":"anna"}"#, to: "00000000000000000005.json")
        #expect(sink.erase(["anna"], through: erased) == "3 jobs in the spool \(scratch.path)")
        #expect(try scratch.names() == ["00000000000000000002.json", "00000000000000000004.json"])
        #expect(sink.erase(["anna", "nobody"], through: erased) == nil)
        #expect(sink.erase(["anna", "bob"], through: newYear) == "1 job in the spool \(scratch.path)")
    }

    @Test func `a directory that another one writes into is refused`() throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        let error = #expect(throws: SinkOpenError.self) {
            try SinkSpec.spool(directory: scratch.path).open(secrets: nil) { newYear }
        }
        #expect(error?.description.contains("another process has it") == true)
        _ = sink
    }

    @Test func `a file where the directory should be is refused with its name`() throws {
        let scratch = try Scratch()
        let path = try scratch.write("", to: "file")
        let error = #expect(throws: SystemFailure.self) { try SpoolSink(directory: path) }
        #expect(error?.description == "open \(path): Not a directory")
    }

    @Test func `what cannot be written is tried again, and leaves nothing behind`() async throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        // A directory in the way: the rename fails.
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/00000000000000000001.json/x", withIntermediateDirectories: true)
        let outcomes = await sink.takeAll((1...20).map { order($0) })
        guard case .retry(nil, let reason) = outcomes[0] else { throw Unexpected(outcomes[0]) }
        #expect(reason.hasPrefix("could not rename a file to \(scratch.path)/00000000000000000001.json: "))
        #expect(outcomes.dropFirst().allSatisfy { $0 == .taken })
        #expect(try scratch.names().count == 20)
        #expect(try scratch.names().allSatisfy { $0.hasSuffix(".json") })
    }

    @Test func `a temporary file that cannot be made is a retry`() async throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        let inTheWay = scratch.path + "/.tmp-00000000000000000001"
        try FileManager.default.createDirectory(atPath: inTheWay, withIntermediateDirectories: true)
        let outcome = await sink.take(order(1))
        guard case .retry(nil, let reason) = outcome else { throw Unexpected(outcome) }
        #expect(reason.hasSuffix("File exists"))
        try FileManager.default.removeItem(atPath: inTheWay)
        #expect(await sink.take(order(1)) == .taken)
        #expect(try scratch.names() == ["00000000000000000001.json"])
    }

    @Test func `a link in the place of a temporary file is replaced, and not written through`() async throws {
        let scratch = try Scratch()
        let sink = try SpoolSink(directory: scratch.path)
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/.tmp-00000000000000000001", withDestinationPath: "/dev/full")
        #expect(await sink.take(order(1)) == .taken)
        #expect(try scratch.names() == ["00000000000000000001.json"])
    }
}

/// An outcome that a test did not expect.
struct Unexpected: Error {
    var outcome: SinkOutcome
    init(_ outcome: SinkOutcome) { self.outcome = outcome }
}

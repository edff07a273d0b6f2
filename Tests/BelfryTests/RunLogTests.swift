@testable import belfry
import CivilTime
import Foundation
import Testing

/// What a worker says of itself never holds the worker up.
@Suite("The log on standard error")
struct RunLogTests {
    @Test func `while nobody reads nobody waits, and what was left out is counted`() throws {
        let pipe = Pipe()
        let log = RunLog(
            least: .info, isTerminal: false, clock: { Instant(milliseconds: 0) },
            to: pipe.fileHandleForWriting.fileDescriptor)
        let line = String(repeating: "x", count: 1000)
        // More than pipe and queue hold: whoever waited here would wait for ever.
        for _ in 0..<5000 { log.info(line) }
        log.debug("not at this level")
        // The log may have begun to write before the last line came: then some were left out more than once.
        var (lines, counts, rest): ([String], [Int], String) = ([], [], "")
        while lines.count - counts.count + counts.reduce(0, +) < 5000 {
            let piece = pipe.fileHandleForReading.availableData
            try #require(!piece.isEmpty)
            rest += String(decoding: piece, as: UTF8.self)
            let whole = rest.split(separator: "\n", omittingEmptySubsequences: false)
            lines += whole.dropLast().map(String.init)
            rest = String(whole.last ?? "")
            counts = try lines.map { try Printed($0) }.compactMap { $0["lines"] }.compactMap { Int($0) }
        }
        #expect(counts.reduce(0, +) + lines.count - counts.count == 5000)
        #expect(counts.reduce(0, +) > 0)
        log.finish()
    }
}

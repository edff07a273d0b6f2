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
        Thread.detachNewThread {
            // Each waits a little for the reader, and not at all once everything is written.
            for _ in 0..<100 { log.finish() }
            try? pipe.fileHandleForWriting.close()
        }
        let told = try #require(try pipe.fileHandleForReading.readToEnd())
        let lines = String(decoding: told, as: UTF8.self).split(separator: "\n").map(String.init)
        let counts = try lines.map { try Printed($0) }.compactMap { $0["lines"] }.compactMap { Int($0) }
        #expect(counts.reduce(0, +) + lines.count - counts.count == 5000)
        #expect(counts.reduce(0, +) > 0)
    }
}

import Foundation
import Testing

@testable import Delivery

@Suite("N5, which texts are under way")
struct TextLedgerTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private var path: String { "\(folder.path)/\(TextLedger.name)" }

    private func place(_ seq: UInt64) -> JobPlace { JobPlace(position: 4096, seq: seq) }

    private func note(_ places: [JobPlace], in ledger: TextLedger) async -> Bool {
        await withCheckedContinuation { done in ledger.note(places) { done.resume(returning: $0) } }
    }

    /// What the next worker finds.
    private func left() throws -> Set<UInt64> { noted(in: try TextLedger(in: folder.path)) }

    private func noted(in ledger: TextLedger) -> Set<UInt64> { Set(ledger.noted(in: everywhere).map(\.seq)) }

    @Test func `what was noted and not struck is left to the next worker`() async throws {
        let ledger = try TextLedger(in: folder.path)
        #expect(noted(in: ledger).isEmpty)
        #expect(await note([place(1), place(2)], in: ledger))
        #expect(await note([place(3)], in: ledger))
        #expect(try left() == [1, 2, 3])
        #expect(try left() == [1, 2, 3])
        let second = try TextLedger(in: folder.path)
        second.strike([place(2), place(9)])
        second.finish()
        #expect(try left() == [1, 3])
    }

    @Test func `a text that is tried again is under way until both tries have ended`() async throws {
        let ledger = try TextLedger(in: folder.path)
        #expect(await note([place(1)], in: ledger))
        #expect(await note([place(1)], in: ledger))
        ledger.strike([place(1)])
        ledger.finish()
        #expect(try left() == [1])
    }

    /// Every try of it: the log has its outcome.
    @Test func `what is forgotten is under way no more, however often it was noted`() async throws {
        let ledger = try TextLedger(in: folder.path)
        for places in [[place(1), place(2)], [place(1)]] { #expect(await note(places, in: ledger)) }
        #expect(ledger.noted(in: 0..<4096).isEmpty)
        ledger.forget([place(1), place(9)])
        #expect(noted(in: ledger) == [2])
        #expect(try left() == [2])
    }

    @Test func `a torn last line and other words say nothing`() throws {
        try Data("+ 4096 1\nnonsense\n+ 4096 2\n- 4096 2\n+ 40".utf8).write(to: URL(filePath: path))
        #expect(try left() == [1])
    }

    @Test func `the file does not grow for ever`() async throws {
        let ledger = try TextLedger(in: folder.path)
        #expect(await note([place(7)], in: ledger))
        for hundred in UInt64(1)..<50 {
            let places = (hundred * 100..<(hundred + 1) * 100).map { place($0) }
            #expect(await note(places, in: ledger))
            ledger.strike(places)
        }
        ledger.finish()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size < 70_000)
        #expect(try left() == [7])
    }

    @Test func `a file that was removed or replaced is made anew before anything more is handed over`() async throws {
        let ledger = try TextLedger(in: folder.path)
        #expect(await note([place(1)], in: ledger))
        try FileManager.default.removeItem(atPath: path)
        #expect(await note([place(2)], in: ledger))
        // As after a rewriting that failed behind its renaming.
        let bytes = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        try bytes.write(to: URL(filePath: path))
        #expect(await note([place(3)], in: ledger))
        ledger.strike([place(2)])
        ledger.finish()
        #expect(try left() == [1, 3])
    }

    @Test func `in a directory that was moved away, or that another took the place of, nothing is handed over`()
        async throws
    {
        let (home, moved) = (folder.path + "/log", folder.path + "/moved")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        let ledger = try TextLedger(in: home)
        #expect(await note([place(1)], in: ledger))
        try FileManager.default.moveItem(atPath: home, toPath: moved)
        #expect(await !note([place(2)], in: ledger))
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        let others = Data("+ 4096 9\n".utf8)
        try others.write(to: URL(filePath: "\(home)/\(TextLedger.name)"))
        #expect(await !note([place(3)], in: ledger))
        #expect(try Data(contentsOf: URL(filePath: "\(home)/\(TextLedger.name)")) == others)
        try FileManager.default.removeItem(atPath: home)
        try FileManager.default.moveItem(atPath: moved, toPath: home)
        #expect(await note([place(4)], in: ledger))
        #expect(Set(try TextLedger(in: home).noted(in: everywhere).map(\.seq)).isSuperset(of: [1, 4]))
    }

    @Test func `without its directory there is no ledger`() throws {
        #expect(throws: SendersError.self) { try TextLedger(in: folder.path + "/missing") }
    }
}

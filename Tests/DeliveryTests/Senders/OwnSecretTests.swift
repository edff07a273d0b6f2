import Foundation
import Testing

@testable import Delivery

@Suite("The worker's own secret")
struct OwnSecretTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private var path: String { "\(folder.path)/\(OwnSecret.name)" }

    @Test func `is made once, whole, for its owner alone, and nothing is left beside it`() throws {
        let first = try OwnSecret.readOrMake(in: folder.path)
        #expect(first.map(\.count) == [64])
        #expect(try OwnSecret.readOrMake(in: folder.path) == first)
        #expect(try folder.names() == [OwnSecret.name])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `what a start left that did not come to its end is not taken for it`() throws {
        let draft = try folder.write("half a sec", to: "\(OwnSecret.name).\(getpid()).tmp")
        let made = try OwnSecret.readOrMake(in: folder.path)
        #expect(made.map(\.count) == [64])
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    @Test func `has its name only when all of it is written`() throws {
        // A draft that cannot be made leaves no file of the name either.
        try FileManager.default.createDirectory(
            atPath: "\(path).\(getpid()).tmp/in the way", withIntermediateDirectories: true)
        #expect(throws: SendersError.self) { try OwnSecret.readOrMake(in: folder.path) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: ["", "\n", "0123456789abcdef\n", String(repeating: "\0", count: 65)])
    func `a blank or short one is refused, and it is said what to do`(text: String) throws {
        _ = try folder.write(text, to: OwnSecret.name)
        #expect(chmod(path, 0o600) == 0)
        let error = #expect(throws: SendersError.self) { try OwnSecret.readOrMake(in: folder.path) }
        let words = try #require(error).description
        #expect(words.hasPrefix("secret_file names \(path), which "))
        #expect(words.contains("Put back the one of the log's backup."))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text, "it stays as it is")
    }
}

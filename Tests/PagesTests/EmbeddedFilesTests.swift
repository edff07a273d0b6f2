import Foundation
import Testing

@testable import Pages

@Suite("The pages are part of the binary")
struct EmbeddedFilesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Pages").standardizedFileURL

    @Test func `every file of the pages is embedded as it lies in the folder, and nothing else is`() throws {
        var lying: [String: [UInt8]] = [:]
        let enumerator = try #require(FileManager.default.enumerator(atPath: Self.folder.path))
        for case let name as String in enumerator
        where ["html", "js", "css", "svg"].contains((name as NSString).pathExtension) {
            lying[name] = Array(try Data(contentsOf: Self.folder.appending(path: name)))
        }
        #expect(Set(lying.keys) == Set(Pages.embedded.keys) && Set(lying.keys) == Set(Pages.files.keys))
        let older = lying.filter { Pages.embedded[$0.key]?.bytes != $0.value }.keys.sorted()
        #expect(older.isEmpty)
    }

    /// A script that is found only when another was read is a trip more before anything is seen; one that the first view does not
    /// need is in its way.
    @Test(arguments: [("console.html", ["common", "console"]), ("me.html", ["common", "me"])])
    func `a page names every script of its first view, so that they come at once, and no other`(
        page: String, folders: [String]
    ) throws {
        let text = String(decoding: try #require(Pages.files[page]).bytes, as: UTF8.self)
        let named = Set(text.matches(of: #/(?:href|src)="/(assets/[^"]+\.js)"/#).map { String($0.1) })
        let first = "assets/\(folders[1])/app.js"
        #expect(try named == scripts(of: first, by: #/import [^"(]* from "([^"]+)"/#))
        #expect(text.contains("<meta charset=\"utf-8\">") && text.contains("href=\"/assets/\(folders[1]).css\""))
        #expect(!text.contains(PageHead.place))
        // What is loaded later counts as well: no script lies there unused.
        let all = try scripts(of: first, by: #/import(?: [^"(]* from |\()"([^"]+)"/#)
        let own = Pages.files.keys.filter { $0.hasPrefix("assets/\(folders[1])/") && $0.hasSuffix(".js") }
        #expect(all.isSuperset(of: own) && all.isSuperset(of: named))
    }

    /// A script with all that it imports, one after the other.
    private func scripts(of first: String, by pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
        var found: Set<String> = [first]
        var left = [first]
        while let name = left.popLast() {
            let text = String(decoding: try #require(Pages.embedded[name], "\(name)").bytes, as: UTF8.self)
            let folder = URL(filePath: "/" + name).deletingLastPathComponent()
            for match in text.matches(of: pattern) {
                let path = String(
                    URL(filePath: String(match.1), relativeTo: folder).standardizedFileURL.path.dropFirst())
                if found.insert(path).inserted { left.append(path) }
            }
        }
        return found
    }

    @Test(arguments: [
        "/", "/now", "/people", "/people/anna", "/people/anna/notices/a/b/c", "/agenda", "/policy", "/numbers", "/log",
        "/log/42",
    ])
    func `every address of a view is the console's page`(path: String) throws {
        let file = try #require(Pages.file(at: path))
        #expect(file.role == .console)
        #expect(file.mediaType == "text/html; charset=utf-8")
        #expect(file.bytes == Pages.files["console.html"]?.bytes)
    }

    @Test func `the settings page has one address, and an asset has its own`() throws {
        #expect(Pages.file(at: "/me")?.role == .settings)
        #expect(Pages.file(at: "/assets/icon.svg")?.role == .asset)
        #expect(Pages.file(at: "/assets/icon.svg")?.mediaType == "image/svg+xml")
    }

    @Test(arguments: [
        "", "now", "/me/", "/me/anna", "/assets", "/assets/", "/assets/none.js", "/console.html", "/me.html",
        "/assets/../console.html", "/nowhere", "/v1/now", "//", "/assets/icon.svg/",
    ])
    func `nothing is at any other address`(path: String) {
        #expect(Pages.file(at: path) == nil)
    }
}

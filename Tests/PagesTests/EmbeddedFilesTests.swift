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
        #expect(Set(lying.keys) == Set(Pages.embedded.keys))
        #expect(Set(lying.keys).union(["assets/console.js", "assets/me.js"]) == Set(Pages.files.keys))
        let older = lying.filter { Pages.embedded[$0.key]?.bytes != $0.value }.keys.sorted()
        #expect(older.isEmpty)
    }

    @Test(arguments: ["console", "me"])
    func `a page has one script, in which each of its modules comes after those that it imports`(page: String) throws {
        let text = String(decoding: try #require(Pages.files["\(page).html"]).bytes, as: UTF8.self)
        let named = text.matches(of: #/(?:href|src)="(/assets/[^"]+\.js)"/#).map { String($0.1) }
        #expect(named == ["/assets/\(page).js"])
        #expect(text.contains("<meta charset=\"utf-8\">") && text.contains("href=\"/assets/\(page).css\""))
        #expect(!text.contains(PageHead.place))
        let file = try #require(Pages.file(at: named[0]))
        #expect(file.role == .asset && file.mediaType == "text/javascript; charset=utf-8")
        let script = String(decoding: file.bytes, as: UTF8.self)
        #expect(script.matches(of: #/^(?:import|export) |import\(/#.anchorsMatchLineEndings()).isEmpty)
        let order = script.matches(of: #/^\/\/ \/(assets\/.+)$/#.anchorsMatchLineEndings()).map { String($0.1) }
        #expect(Set(order).count == order.count)
        for (place, name) in order.enumerated() {
            let module = String(decoding: try #require(Pages.embedded[name], "\(name)").bytes, as: UTF8.self)
            let folder = URL(filePath: "/" + name).deletingLastPathComponent()
            for match in module.matches(of: #/import [^"(]* from "([^"]+)"/#) {
                let path = URL(filePath: String(match.1), relativeTo: folder).standardizedFileURL.path.dropFirst()
                #expect(order[..<place].contains(String(path)), "\(name) comes before \(path)")
            }
        }
        // No script lies there unused.
        let own = Pages.embedded.keys.filter { $0.hasPrefix("assets/\(page)/") && $0.hasSuffix(".js") }
        #expect(Set(order).isSuperset(of: own))
    }

    @Test func `a module becomes a function that gives what the module exports`() {
        let module = PageScript.Module(
            "assets/console/why.js",
            """
            import { id, state as stateWord } from "../common/words.js";
            import { eventLink } from "./links.js";

            const told = 3;
            export const spans = [told];
            export async function ask(door) { return id(door); }
            export class Tab extends HTMLElement {
            }
            """)
        #expect(module.imported == ["assets/common/words.js", "assets/console/links.js"])
        #expect(
            module.asFunction == """
                // /assets/console/why.js
                const console_why = (() => {
                const { id, state: stateWord } = common_words;
                const { eventLink } = console_links;

                const told = 3;
                const spans = [told];
                async function ask(door) { return id(door); }
                class Tab extends HTMLElement {
                }
                return { spans, ask, Tab };
                })();

                """)
    }

    @Test func `what is said to who reads a script is not sent, and its lines keep their numbers`() {
        let module = PageScript.Module(
            "assets/console/why.js",
            """
            // Why it came.

            /** Of one. */
            export const one = 1;
            /**
             * Of two:
             * `//` is no comment within a line.
             */
            export const two = "//" + 1; // nor this
              // three
            """)
        #expect(
            module.asFunction == """
                // /assets/console/why.js
                const console_why = (() => {



                const one = 1;




                const two = "//" + 1; // nor this

                return { one, two };
                })();

                """)
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

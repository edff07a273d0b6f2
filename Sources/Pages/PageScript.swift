/// The scripts of a page as one file: fetching two dozen one beside the other costs a browser half of the time until something
/// is seen.
///
/// Each module becomes a function that is called once and gives what the module exports, in an order in which each comes after
/// those that it imports. So they keep their own names, as modules do.
struct PageScript {
    /// A folder's modules begin with this one.
    static let first = "app.js"

    /// In the order in which they are called.
    private(set) var modules: [Module] = []

    /// - Parameters:
    ///   - folder: the page's own scripts lie in it.
    ///   - files: all there are.
    init(of folder: String, among files: [String: PageFile]) {
        add("assets/\(folder)/\(Self.first)", among: files, behind: [])
    }

    private mutating func add(_ path: String, among files: [String: PageFile], behind: [String]) {
        precondition(!behind.contains(path), "scripts import each other in a circle: \(behind + [path])")
        if modules.contains(where: { $0.path == path }) { return }
        guard let file = files[path] else {
            preconditionFailure("\(behind.last ?? "a page") imports \(path), which is none of its files")
        }
        let module = Module(path, String(decoding: file.bytes, as: UTF8.self))
        for imported in module.imported { add(imported, among: files, behind: behind + [path]) }
        modules.append(module)
    }

    var file: PageFile {
        let text = modules.map(\.asFunction).joined(separator: "\n")
        return PageFile(bytes: Array(text.utf8), mediaType: "text/javascript; charset=utf-8", role: .asset)
    }
}

extension PageScript {
    /// One script, as it lies in its folder. Imports are a line each, above everything else.
    struct Module {
        let path: String
        private(set) var imported: [String] = []
        private var exported: [Substring] = []
        private var lines: [String] = []

        init(_ path: String, _ text: String) {
            self.path = path
            var isInComment = false
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if Self.isComment(line, &isInComment) {
                    lines.append("")
                } else if line.hasPrefix("import ") {
                    lines.append(taken(line))
                } else if line.hasPrefix("export ") {
                    lines.append(given(line))
                } else {
                    lines.append(String(line))
                }
            }
        }

        /// Whether a line says something to who reads the folder and nothing to a browser: a sixth of what a page has over the wire. It
        /// stays as an empty one, so that the others keep their numbers.
        private static func isComment(_ line: Substring, _ isWithin: inout Bool) -> Bool {
            let text = line.drop { $0 == " " }
            if isWithin {
                isWithin = !text.hasSuffix("*/")
                return true
            }
            guard text.hasPrefix("/**") else { return text.hasPrefix("//") }
            isWithin = !text.contains("*/")
            return isWithin || text.hasSuffix("*/")
        }

        /// `import { state as word } from "./words.js";` takes it from the function of that script.
        private mutating func taken(_ line: Substring) -> String {
            let quoted = line.split(separator: "\"")
            guard quoted.count == 3, quoted[0].hasSuffix(" from "), let names = Self.names(in: quoted[0]) else {
                preconditionFailure("\(path) imports in a form that is not known here: \(line)")
            }
            let other = Self.address(of: quoted[1], from: path)
            if !imported.contains(other) { imported.append(other) }
            return "const {\(names.replacing(" as ", with: ": "))} = \(Self.function(of: other));"
        }

        private static func names(in text: Substring) -> Substring? {
            guard let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}"), start < end else {
                return nil
            }
            return text[text.index(after: start)..<end]
        }

        /// `export async function ask(…` is one like any other, whose name is given to others in the end.
        private mutating func given(_ line: Substring) -> String {
            let rest = line.dropFirst("export ".count)
            let words = rest.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }
            let before: Set<Substring> = ["async", "function", "class", "const"]
            guard let first = words.first, before.contains(first),
                let name = words.first(where: { !before.contains($0) })
            else { preconditionFailure("\(path) exports in a form that is not known here: \(line)") }
            exported.append(name)
            return String(rest)
        }

        /// `../common/dom.js`, imported by `assets/console/app.js`.
        private static func address(of path: Substring, from script: String) -> String {
            var steps = script.split(separator: "/").dropLast()
            for step in path.split(separator: "/") where step != "." {
                if step == ".." { steps.removeLast() } else { steps.append(step) }
            }
            return steps.joined(separator: "/")
        }

        /// `common_dom` of `assets/common/dom.js`.
        private static func function(of path: String) -> String {
            path.split(separator: ".")[0].split(separator: "/").suffix(2).joined(separator: "_")
        }

        var asFunction: String {
            let called = """
                // /\(path)
                const \(Self.function(of: path)) = (() => {
                """
            return ([called] + lines + ["return { \(exported.joined(separator: ", ")) };", "})();", ""])
                .joined(separator: "\n")
        }
    }
}

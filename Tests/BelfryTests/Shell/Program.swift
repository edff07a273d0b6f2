import Foundation

/// A program of this package, where the build has put it, or in the folder that `BELFRY_PROGRAMS` names.
enum Program: String {
    case belfry, storm
    case example = "belfry-client"

    var path: String {
        let beside = [CommandLine.arguments[0], Bundle.main.executablePath, Bundle.main.bundlePath]
            .compactMap { $0.map { URL(fileURLWithPath: $0).deletingLastPathComponent() } }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let named = ProcessInfo.processInfo.environment["BELFRY_PROGRAMS"].map { [URL(fileURLWithPath: $0)] }
        let places = named ?? beside + [package.appending(path: ".build/debug")]
        let paths = places.map { $0.appending(path: rawValue).standardizedFileURL.path }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
            preconditionFailure("\(rawValue) is not built; looked for \(paths.joined(separator: ", "))")
        }
        return path
    }
}

/// How a program ended, and what it said.
struct Outcome: Equatable {
    /// The exit code, or the signal that ended it, negated.
    var code: Int32
    var output: String
    var errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// One of the lines, from 0; empty where there are fewer.
    func line(_ number: Int) -> String { lines.indices.contains(number) ? lines[number] : "" }
    func errorLine(_ number: Int) -> String { errorLines.indices.contains(number) ? errorLines[number] : "" }

    static func == (left: Outcome, right: Outcome) -> Bool {
        left.code == right.code && left.output == right.output && left.errors == right.errors
    }

    /// Done, having printed these lines and complained of nothing.
    static func done(_ lines: String...) -> Outcome {
        Outcome(code: 0, output: lines.map { $0 + "\n" }.joined(), errors: "")
    }

    /// Failed, having printed nothing, with this one complaint.
    static func failed(_ code: Int32, _ complaint: String) -> Outcome {
        Outcome(code: code, output: "", errors: "belfry: \(complaint)\n")
    }
}

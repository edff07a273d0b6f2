import Foundation

/// Runs every row, prints the table, and the same as JSON.
@main
enum Benchmarks {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        // A start is measured in a process of its own.
        if words.count == 3, words.first == "--start" { return try SnapshotStart.run(words[2], words[3]) }
        let options = Options(words)
        let workspace = try Workspace(options.directory)
        defer { workspace.remove() }
        var table = Table()
        if options.wants("decide") { try DecideRows(options: options).run(into: &table) }
        if options.wants("agenda") { AgendaRows(options: options).run(into: &table) }
        if options.wants("append") {
            try AppendRows(workspace: workspace, options: options).run(into: &table)
            try WorkerFactRows(workspace: workspace, options: options).run(into: &table)
        }
        if options.wants("replay") { try ReplayRows(workspace: workspace, options: options).run(into: &table) }
        if options.wants("snapshot") { try SnapshotRows(workspace: workspace, options: options).run(into: &table) }
        if options.wants("readers") { try ReaderRows(workspace: workspace, options: options).run(into: &table) }
        if options.wants("people") { try PeopleRows(workspace: workspace, options: options).run(into: &table) }
        try LiveRows(workspace: workspace, options: options).run(into: &table)
        print(table.text)
        if let path = options.json { try table.json.write(toFile: path, atomically: true, encoding: .utf8) }
    }
}

struct Options {
    /// Where the logs are written: the disk under this is what is measured.
    var directory = FileManager.default.currentDirectoryPath + "/.build/benchmark-data"
    var json: String?
    /// Only these rows, where any are named.
    var only: [String] = []
    /// Smaller, to see that everything runs.
    var isQuick = false
    /// How long the soak goes on.
    var hours: Double?

    func wants(_ rows: String) -> Bool { only.isEmpty || only.contains(rows) }

    init(_ words: ArraySlice<String>) {
        var words = words
        while let word = words.popFirst() {
            switch word {
            case "--quick": isQuick = true
            case "--only": only.append(words.popFirst() ?? "")
            case "--hours": hours = words.popFirst().flatMap { Double($0) }
            case "--json": json = words.popFirst()
            case "--directory": directory = words.popFirst() ?? directory
            default:
                say(
                    "usage: ops/benchmarks/run [--quick] [--only ROWS] [--hours H] [--json FILE] [--directory DIR]\n"
                        + "  ROWS: decide agenda append replay snapshot readers people; live, or herd lag others wake"
                        + " explain; soak")
                exit(2)
            }
        }
    }
}

/// A directory of its own for every measurement, all gone afterwards.
final class Workspace {
    private let root: String
    private var count = 0

    init(_ root: String) throws {
        self.root = root + "-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: self.root, withIntermediateDirectories: true)
    }

    func fresh(_ name: String) throws -> String {
        count += 1
        let path = "\(root)/\(count)-\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}

/// Seconds on a clock that only goes forward.
func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

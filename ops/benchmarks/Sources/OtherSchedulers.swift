import Foundation

/// The same asked of what people use otherwise: APScheduler with its own memory, and a table that is polled.
///
/// Both are Python, installed by `ops/benchmarks/run --others` beside the build and nowhere else. Without them the rows say
/// so.
struct OtherSchedulers {
    let workspace: Workspace
    let options: Options

    private var python: String { ProcessInfo.processInfo.environment["BELFRY_BENCHMARKS_PYTHON"] ?? "" }

    func run(into table: inout Table) {
        say("other schedulers")
        guard FileManager.default.isExecutableFile(atPath: python) else {
            table.add("other schedulers", "left out: not installed; ops/benchmarks/run --others does it")
            return
        }
        let limit = options.isQuick ? "5" : "60"
        let due = options.isQuick ? "2000" : "20000"
        add("apscheduler_jobs.py", ["herd", limit], &table)
        add("apscheduler_jobs.py", ["lag", due], &table)
        add("polled_table.py", [due], &table)
    }

    /// A script prints one line a row: what, a tab, what was measured.
    private func add(_ script: String, _ arguments: [String], _ table: inout Table) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["ops/benchmarks/\(script)"] + arguments
        process.standardOutput = output
        do { try process.run() } catch {
            table.add(script, "left out: \(error.localizedDescription)")
            return
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1)
            if parts.count == 2 { table.add("— " + parts[0], String(parts[1])) }
        }
        if process.terminationStatus != 0 { table.add(script, "ended with \(process.terminationStatus)") }
    }
}

import Foundation

/// A fresh directory, and the program run in it as its user runs it. The directory is gone afterwards.
final class Shell {
    let directory: URL

    init() {
        directory = FileManager.default.temporaryDirectory.appending(path: "belfry-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("no directory to test in: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appending(path: name).path }

    // MARK: Running

    /// Runs `belfry` to its end with this on its standard input.
    func belfry(
        _ words: String..., input: String = "", environment: [String: String] = [:]
    ) -> Outcome {
        belfry(words, input: Array(input.utf8), environment: environment)
    }

    func belfry(_ words: [String], input: [UInt8], environment: [String: String] = [:]) -> Outcome {
        let running = start(words, environment: environment)
        running.send(input)
        return running.end()
    }

    /// Starts a program and leaves it running, its input open.
    ///
    /// - Parameter waits: whether its input and output are such that it waits for them, as is usual.
    func start(
        _ words: [String], of program: Program = .belfry, environment: [String: String] = [:], waits: Bool = true
    ) -> Running {
        Running([program.path] + words, in: directory.path, environment: environment, waits: waits)
    }

    /// Runs a script of bash, in which `$BELFRY` is the program.
    func bash(_ script: String, patience: Duration = .seconds(300)) -> Outcome {
        let environment = ["BELFRY": Program.belfry.path]
        return Running(
            ["/bin/bash", "-c", script], in: directory.path, environment: environment, patience: patience
        ).end()
    }

    // MARK: Files

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: directory.appending(path: name))
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: directory.appending(path: name))) }

    /// Changes a file where it lies.
    func edit(_ name: String, _ change: (inout [UInt8]) throws -> Void) throws {
        var bytes = try read(name)
        try change(&bytes)
        try write(bytes, to: name)
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            at: directory.appending(path: name), withIntermediateDirectories: true)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: directory.appending(path: name)) }

    /// The names in a directory, sorted; none where there is no directory.
    func names(in name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
    }

    func segments(of log: String) -> [String] {
        names(in: log).filter { $0.hasSuffix(".segment") }.map { log + "/" + $0 }
    }
}

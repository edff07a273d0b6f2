import Foundation
import Testing

/// `ops/demo/phones`: the providers of senders, played on this machine.
final class Phones {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let canBeOn = FileManager.default.fileExists(atPath: root.appending(path: ".build/oracles/.whole").path)

    static let canAnalyse = FileManager.default.fileExists(atPath: root.appending(path: ".build/oracles/openai").path)

    private let running: Running

    /// Puts their papers into the shell's folder `phones`.
    init(_ shell: Shell) throws {
        setenv("no_proxy", "127.0.0.1,localhost", 1)
        let script = Self.root.appending(path: "ops/demo/phones").path
        running = Running(
            ["/usr/bin/env", "python3", script, shell.path("phones")], in: shell.directory.path,
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        try expect("belfry append")
    }

    /// Waits until they have shown this.
    func expect(_ text: String) throws { _ = try shown(text) }

    /// The next line that they show with this in it.
    func shown(_ text: String) throws -> String {
        while let line = running.line() {
            if line.contains(text) { return line }
        }
        Issue.record("the phones went out before they showed \(text): \(running.end().errors)")
        throw CancellationError()
    }

    /// Switches them off, and tells what they showed besides what was waited for.
    func end() -> Outcome {
        running.send(signal: SIGTERM)
        return running.end()
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need the openai package, which `ops/bootstrap --test` installs.
    static var withAnalyser: Self {
        .enabled(if: Phones.canBeOn && Phones.canAnalyse, "ops/bootstrap --test installs what judges this")
    }

    /// For tests that need the packages of `ops/bootstrap --test`.
    static var withPhones: Self {
        .enabled(if: Phones.canBeOn, "ops/bootstrap --test installs what ops/demo/phones takes")
    }
}

import Foundation
import Testing

/// Chromium, driven through the pages by a scenario of `Tests/PagesTests/Browser`.
final class Browser {
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL
    private static let oracles = package.appending(path: ".build/oracles").path
    private static let folder = package.appending(path: "Tests/PagesTests/Browser").path
    static let environment = ["PYTHONPATH": oracles, "PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "127.0.0.1,localhost"]

    static let canBeDriven =
        FileManager.default.fileExists(atPath: oracles + "/playwright")
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

    private let running: Running

    init(_ scenario: String, _ shell: Shell, port: Int, readToken: String = "", arguments: [String] = []) {
        // Pictures of the pages stay where somebody asked for them, and nowhere otherwise.
        let screens = ProcessInfo.processInfo.environment["BELFRY_SCREENS"].map { ["BELFRY_SCREENS": $0] } ?? [:]
        running = Running(
            ["/usr/bin/env", "python3", Self.folder + "/drive.py", scenario] + arguments, in: shell.directory.path,
            environment: Self.environment.merging(screens) { $1 }.merging([
                "BELFRY_BASE": "http://127.0.0.1:\(port)", "BELFRY_TOKEN": WorkerPort.token,
                "BELFRY_READ_TOKEN": readToken,
            ]) { $1 })
    }

    /// What the scenario asks of the test, such as a code that came to a phone; `nil` when it ended.
    func line() -> String? { running.line() }

    func answer(_ text: String) { running.send(text + "\n") }

    /// Waits for its end: everything was as it should be.
    func expectDone() {
        let outcome = running.end()
        let said = outcome.errors.split(separator: "\n").suffix(30).joined(separator: "\n")
        #expect(outcome.code == 0 && outcome.lines.last == "done", "\(said)")
    }
}

extension Shell {
    /// Makes a log of nine days of a small town's facts.
    func importTown(policy: String) throws {
        let script = Browser.package.appending(path: "Tests/PagesTests/Browser/history.py").path
        let written = Running(
            ["/usr/bin/env", "python3", script, Program.belfry.path, policy, path("town")], in: directory.path,
            environment: Browser.environment
        ).end()
        try #require(written.code == 0, "\(written.errors)")
        let imported = belfry("import", "town/history.jsonl", "--policy", policy)
        try #require(imported.code == 0, "\(imported.errors)")
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests in a browser, which `ops/bootstrap --test` installs.
    static var withBrowser: Self {
        .enabled(if: Browser.canBeDriven, "ops/bootstrap --test installs the browser and what drives it")
    }
}

import Foundation
import Testing

/// The Python packages that judge what Belfry sends; `ops/bootstrap --test` installs them.
enum Oracles {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/oracles").path

    static let areInstalled = Python.path != nil && FileManager.default.fileExists(atPath: folder + "/.whole")

    /// Whether one of the packages is there: one that the list got lately is not, until it is installed anew.
    static func has(_ package: String) -> Bool {
        areInstalled && FileManager.default.fileExists(atPath: "\(folder)/\(package)")
    }

    /// Debian's Postfix. Its master takes root.
    static let havePostfix =
        areInstalled && geteuid() == 0
        && FileManager.default.isExecutableFile(atPath: "/usr/lib/postfix/sbin/master")

    static func process(_ script: String, _ arguments: [String] = []) -> Process {
        let process = Python.process("Oracles/\(script)", arguments)
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "127.0.0.1,localhost"]) { $1 }
        return process
    }

    /// What a script prints when it is asked all of this, a line each.
    static func ask<Answer: Decodable>(_ script: String, _ questions: [any Encodable]) throws -> [Answer] {
        let encoder = JSONEncoder()
        let lines = try questions.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        let answers = try Python.answers(process(script), lines)
        let decoder = JSONDecoder()
        return try answers.map { try decoder.decode(Answer.self, from: Data($0.utf8)) }
    }

    static func ask<Answer: Decodable>(_ script: String, _ question: [String: String]) throws -> Answer {
        let answers: [Answer] = try ask(script, [question])
        return try #require(answers.first)
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need one of those packages.
    static func withOracle(_ package: String) -> Self {
        .enabled(if: Oracles.has(package), "ops/bootstrap --test installs the libraries that judge this")
    }

    /// For tests that need a mail server, which is started for them alone.
    static var withPostfix: Self {
        .enabled(if: Oracles.havePostfix, "takes root and Postfix, which ops/bootstrap --test installs on Debian")
    }

    /// For tests that need the packages of `ops/bootstrap --test`.
    static var withOracles: Self {
        .enabled(if: Oracles.areInstalled, "ops/bootstrap --test installs the libraries that judge this")
    }
}

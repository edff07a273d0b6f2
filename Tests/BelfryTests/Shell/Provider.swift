import Foundation
import Testing

/// A provider of push, or a relay of mail, on this machine: the scripts that judge the senders, run as their own programs.
final class Provider {
    enum Kind: String {
        case push = "provider_server.py"
        case mail = "mail_server.py"
        case postfix = "postfix_server.py"
    }

    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL
    private static let oracles = package.appending(path: ".build/oracles").path
    /// `ops/bootstrap --test` installs what the scripts need.
    static let areInstalled = FileManager.default.fileExists(atPath: oracles + "/.whole")

    private let server: Running
    let port: Int
    let caFile: String

    init(_ kind: Kind, _ shell: Shell, _ options: String...) throws {
        caFile = shell.path("\(kind)-ca.pem")
        server = Self.run(kind.rawValue, [caFile] + options, shell)
        port = try #require(server.line().flatMap { Int($0) }, "the provider did not start: \(server.end().errors)")
    }

    /// To its end: Postfix has a folder and processes that are to go with it.
    deinit { _ = server.end() }

    /// Whether something has come that is held.
    func hearHeld() -> Bool { server.line() == "held" }

    /// Has what is held answered, and whatever comes.
    func answerHeld() { server.send("answer\n") }

    /// Ends it, and gives what has come, newest last.
    ///
    /// - Parameter mails: how many are to leave Postfix's queue before.
    func end(after mails: Int? = nil) throws -> [[String: Any]] {
        server.send(mails.map { "end \($0)\n" } ?? "end\n")
        let told = try #require(server.line(), "the provider said nothing")
        return try #require(try JSONSerialization.jsonObject(with: Data(told.utf8)) as? [[String: Any]])
    }

    /// Keys as providers hand them out.
    static func keys(_ shell: Shell) throws -> [String: String] {
        let oracle = run("token_oracle.py", [], shell)
        oracle.send("{\"ask\":\"keys\"}\n")
        oracle.closeInput()
        let told = oracle.end()
        let parsed = try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [String: String]
        return try #require(parsed, "no keys: \(told.errors)")
    }

    /// What Python's `email` reads in a mail.
    static func read(_ mail: [UInt8], _ shell: Shell) throws -> Printed {
        let oracle = run("email_oracle.py", [], shell)
        oracle.send("{\"mail\":\"\(Data(mail).base64EncodedString())\"}\n")
        let told = oracle.end()
        return try Printed(told.line(0))
    }

    private static func run(_ script: String, _ arguments: [String], _ shell: Shell) -> Running {
        let path = package.appending(path: "Tests/DeliveryTests/Oracles/\(script)").path
        return Running(
            ["/usr/bin/env", "python3", path] + arguments, in: shell.directory.path,
            environment: [
                "PYTHONPATH": oracles, "PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "127.0.0.1,localhost",
            ])
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need the packages of `ops/bootstrap --test`.
    static var withProviders: Self {
        .enabled(if: Provider.areInstalled, "ops/bootstrap --test installs what the providers need")
    }

    /// For tests that need a mail server, which is started for them alone.
    static var withPostfix: Self {
        .enabled(
            if: Provider.areInstalled && Machine.isRoot
                && FileManager.default.isExecutableFile(atPath: "/usr/lib/postfix/sbin/master"),
            "takes root and Postfix, which ops/bootstrap --test installs on Debian")
    }

    static var withCurl: Self { .enabled(if: Machine.has("curl"), "ops/bootstrap --test installs curl") }
}

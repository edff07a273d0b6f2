import Delivery
import Foundation
import Testing

/// Whoever may write where Belfry writes must not lead it elsewhere, and is told of.
@Suite("What others may write, and what they plant")
struct PlantedFileTests {
    let shell = Shell()

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: shell.path(name), withDestinationPath: shell.path(target))
    }

    @Test(arguments: ["lock", "durable", "00000000000000000000.segment"])
    func `a link in a new log's directory is not followed`(name: String) throws {
        try shell.write("precious", to: "victim")
        try shell.makeDirectory("events/log")
        try link("events/log/" + name, to: "victim")
        for command in [["append"], ["run", "--jobs", "spool:spool"]] {
            let outcome = shell.belfry(command, input: Array(fact().utf8))
            #expect(outcome.code == 5, "\(command)")
            #expect(outcome.errors.contains("events/log/\(name): "), "\(outcome.errors)")
            #expect(
                outcome.errors.contains("(ELOOP). It is a symbolic link, and none is followed"), "\(outcome.errors)")
        }
        #expect(try shell.read("victim") == Array("precious".utf8))
    }

    @Test func `a link that leads to nothing makes nothing there`() throws {
        try shell.makeDirectory("events/log")
        for name in ["lock", "durable"] { try link("events/log/" + name, to: "made-by-\(name)") }
        #expect(shell.belfry("append", input: fact()).code == 5)
        #expect(shell.names(in: ".") == ["events"])
    }

    @Test func `links in the place of drafts are replaced`() throws {
        try shell.write("precious", to: "victim")
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        for name in ["state.snapshot.beside.tmp", "index.snapshot.beside.tmp", "snapshot.lock"] {
            try link("events/log/" + name, to: "victim")
        }
        let refused = shell.belfry("snapshot")
        #expect(refused.code == 5 && refused.errors.contains("snapshot.lock: "), "\(refused.errors)")
        try shell.remove("events/log/snapshot.lock")
        #expect(shell.belfry("snapshot").code == 0)
        #expect(try shell.read("victim") == Array("precious".utf8))
    }

    @Test func `a link in the place of a spooled file's draft is replaced`() throws {
        try shell.write("precious", to: "victim")
        try shell.makeDirectory("spool")
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        for seq in 1...9 { try link("spool/.tmp-0000000000000000000\(seq)", to: "victim") }
        let request = fact("notice_requested", data: #"{"kind":"urgent","title":"Fire"}"#)
        #expect(WorkerDoor(shell).append(request)?.status == 200)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(shell.names(in: "spool").contains { $0.hasSuffix(".json") })
        #expect(try shell.read("victim") == Array("precious".utf8))
    }

    @Test func `a pipe in the place of a file keeps nobody waiting`() throws {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        for name in ["durable", "lock"] {
            let path = "events/log/" + name
            let bytes = try shell.read(path)
            try shell.remove(path)
            #expect(mkfifo(shell.path(path), 0o600) == 0)
            let append = shell.belfry("append", input: fact())
            #expect(append.code == 5)
            #expect(append.errors.contains("\(path): ") && append.errors.contains("It is no regular file"))
            try shell.remove(path)
            try shell.write(bytes, to: path)
        }
    }

    // MARK: Permissions

    @Test func `a directory that everybody may write is warned of, by the worker and by the doctor`() throws {
        #expect(shell.belfry("append", input: fact()).code == 0)
        #expect(chmod(shell.path("events/log"), 0o777) == 0)
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        let warning = worker.complaint(of: "events/log may be written by every user of this machine")
        #expect(warning?.contains(#""level":"warning""#) == true)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        let doctor = shell.belfry("doctor")
        #expect(doctor.code == 1)
        #expect(
            doctor.output.contains("FAIL  log          events/log may be written by every user"), "\(doctor.output)")
    }

    private static let token = String(repeating: "0123456789abcdef", count: 4)

    private func run(with token: String, mode: mode_t) throws -> Running {
        try shell.write(token + "\n", to: "token")
        #expect(chmod(shell.path("token"), mode) == 0)
        return shell.start(["run", "--jobs", "spool:spool", "--listen", "127.0.0.1:0", "--token-file", "token"])
    }

    @Test func `a token that everybody may write is refused, and one that everybody may read is warned of`() throws {
        let refused = try run(with: Self.token, mode: 0o602).end()
        #expect(
            refused
                == .failed(
                    3,
                    "--token-file: every user of this machine may change token, so it is not believed; `chmod 600 token` keeps it to its owner"
                ))
        #expect(shell.belfry("doctor", "--token-file", "token").code == 1)
        let worker = try run(with: Self.token, mode: 0o604)
        let warning = worker.complaint(of: "every user of this machine may read what is secret in token")
        #expect(warning?.contains(#""level":"warning""#) == true)
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(
            shell.belfry("doctor", "--token-file", "token").output.contains(
                "FAIL  token-file   every user of this machine may read"))
        let quiet = try run(with: Self.token, mode: 0o600)
        try quiet.expectReady()
        quiet.send(signal: SIGTERM)
        #expect(!quiet.waitForEnd().errors.contains("every user"))
        #expect(shell.belfry("doctor", "--token-file", "token").code == 0)
    }

    @Test func `a short token is refused`() throws {
        let complaint =
            "the token has 31 characters, and one that nobody guesses has 32 or more. `openssl rand -hex 32` makes one"
        let token = String(Self.token.prefix(31))
        #expect(try run(with: token, mode: 0o600).end() == .failed(3, "--token-file: token: \(complaint)"))
        #expect(shell.belfry("doctor", "--token-file", "token").output.contains("token: \(complaint)"))
        let enough = try run(with: token + "x", mode: 0o600)
        try enough.expectReady()
        enough.send(signal: SIGTERM)
        #expect(enough.waitForEnd().code == 0)
    }

    @Test func `a webhook's secret that everybody may write is refused`() throws {
        try shell.write("whsec_" + Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: "secret")
        #expect(chmod(shell.path("secret"), 0o666) == 0)
        let words = ["run", "--jobs", "webhook:http://127.0.0.1:9/", "--webhook-secret-file", "secret"]
        let refused = shell.start(words).end()
        #expect((refused.code, refused.output) == (3, ""))
        #expect(refused.errors.hasPrefix("belfry: --webhook-secret-file: every user of this machine may change secret"))
        #expect(shell.belfry("doctor", "--webhook-secret-file", "secret").code == 1)
    }
}

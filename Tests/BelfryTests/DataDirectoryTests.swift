import Foundation
import Testing

@Suite("The data directory")
struct DataDirectoryTests {
    let shell = Shell()

    @Test func `a file in its place`() throws {
        try shell.write("hello", to: "file")
        let cure = "Name a log's directory with --data, or an empty or a new one to begin one"
        let complaint = "file is no log of Belfry's: it is a file. \(cure)"
        for command in ["append", "log", "verify"] {
            #expect(shell.belfry(command, "--data", "file", input: fact()) == .failed(5, complaint))
        }
        #expect(try shell.read("file") == Array("hello".utf8))
        let below = shell.belfry("append", "--data", "file/log", input: fact())
        #expect(below.code == 5)
        #expect(below.errors.hasPrefix("belfry: cannot look at file/log: Not a directory (ENOTDIR)."))
    }

    @Test func `a directory of other things is left alone`() throws {
        try shell.makeDirectory("photos")
        try shell.write("hello", to: "photos/cat.jpg")
        let complaint =
            "photos is no log of Belfry's: it holds \"cat.jpg\". Name a log's directory with --data, or an empty or a new one to begin one"
        for command in ["append", "log", "verify"] {
            #expect(shell.belfry(command, "--data", "photos", input: fact()) == .failed(5, complaint))
        }
        #expect(shell.names(in: "photos") == ["cat.jpg"])
    }

    @Test func `an empty directory becomes a log`() throws {
        try shell.makeDirectory("empty")
        #expect(shell.belfry("append", "--data", "empty", input: fact()) == .done("1"))
    }

    @Test func `a directory of someone else's is left alone`() throws {
        let directory: String
        if Machine.isRoot {
            try shell.makeDirectory("theirs")
            #expect(chown(shell.path("theirs"), 65534, 65534) == 0)
            directory = "theirs"
        } else {
            directory = "/usr"
        }
        let uid = Machine.isRoot ? 65534 : 0
        let complaint =
            "\(directory) belongs to another user (uid \(uid)). Run as that user, or name a directory of your own with --data"
        #expect(shell.belfry("append", "--data", directory, input: fact()) == .failed(5, complaint))
        #expect(!Machine.isRoot || shell.names(in: directory) == [])
        let doctor = shell.belfry("doctor", "--data", directory)
        #expect(doctor.code == 1)
        #expect(doctor.lines.contains { $0.hasPrefix("FAIL  log") })
    }

    @Test func `where nothing can be made`() {
        let outcome = shell.belfry("append", "--data", "/proc/belfry", input: fact())
        #expect(outcome.code == 5)
        #expect(outcome.output == "")
        #expect(
            outcome.errors.hasPrefix("belfry: cannot make directory /proc/belfry: No such file or directory (ENOENT)."))
    }

    @Test func `a link that leads nowhere`() throws {
        try FileManager.default.createSymbolicLink(atPath: shell.path("link"), withDestinationPath: "nowhere")
        let outcome = shell.belfry("append", "--data", "link", input: fact())
        #expect(outcome.code == 5)
        #expect(outcome.errors.hasPrefix("belfry: cannot make directory link: File exists (EEXIST)."))
    }

    @Test(.enabled(if: Machine.hasOwnMounts, "needs to mount a file system"))
    func `on a disk that is mounted to be read only, it is read and not written`() throws {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        let outcome = shell.bash(
            """
            \(try #require(Machine.withOwnMounts)) bash -c '
            mount --bind events/log events/log && mount -o remount,ro,bind events/log || exit 99
            "$BELFRY" log; echo log $?; "$BELFRY" verify >/dev/null; echo verify $?
            "$BELFRY" log --user anna | wc -l; "$BELFRY" append facts <<<"{}"; echo append $?' 2>&1
            """.replacing(" facts <<<", with: " <<<"))
        #expect(outcome.code == 0)
        #expect(
            outcome.lines.suffix(5) == [
                "log 0", "verify 0", "3",
                "belfry: cannot open events/log/lock: Read-only file system (EROFS). Look at its owner, its permissions and how its disk is mounted",
                "append 5",
            ])
    }

    @Test func `renamed while a command runs, it is still the same log`() throws {
        #expect(shell.belfry("append", input: facts(1...3)).code == 0)
        let append = shell.start(["append"])
        append.send(fact())
        #expect(append.line() == "4")
        try FileManager.default.moveItem(atPath: shell.path("events/log"), toPath: shell.path("events/moved"))
        append.send(fact())
        // It goes on writing the files it has open, wherever they are now.
        #expect(append.line() == "5")
        #expect(append.end().code == 0)
        #expect(shell.belfry("log", "--data", "events/moved").lines.count == 5)
        #expect(shell.names(in: "events") == ["moved"])
    }

    // MARK: A second writer

    @Test func `a second writer is told who the first one is`() {
        let first = shell.start(["append"])
        first.send(fact())
        #expect(first.line() == "1")
        let complaint =
            "the log in events/log is being written by process \(first.process) (belfry append). Stop it first, or use another --data directory"
        #expect(shell.belfry("append", input: fact()) == .failed(5, complaint))
        #expect(shell.belfry("append", "--data", "./events//log/", input: fact()).code == 5)
        first.send(fact())
        #expect(first.line() == "2")
        #expect(first.end().code == 0)
        #expect(shell.belfry("append", input: fact()) == .done("3"))
    }

    @Test(.timeLimit(.minutes(2))) func `a worker that stands still is not to be stopped by who has a fact for it`()
        throws
    {
        let worker = shell.start(["run"])
        try worker.expectReady()
        worker.send(signal: SIGSTOP)
        let outcome = shell.belfry("append", input: fact(id: "f1"))
        worker.send(signal: SIGCONT)
        #expect(outcome.code == 5)
        let silent =
            "the worker that has the log in events/log, process \(worker.process) (belfry run), does not answer"
        #expect(outcome.errors.hasPrefix("belfry: \(silent): "), "\(outcome.errors)")
        worker.expectStopped()
    }

    @Test func `a lock file that someone removed lets nobody in`() throws {
        let first = shell.start(["append"])
        first.send(fact())
        #expect(first.line() == "1")
        try shell.remove("events/log/lock")
        let second = shell.belfry("append", input: fact())
        #expect((second.code, second.output) == (5, ""))
        #expect(second.errors.hasPrefix("belfry: the log in events/log is being written by another process."))
        first.send(fact())
        #expect(first.line() == "2")
        #expect(first.end().code == 0)
        #expect(shell.belfry("verify").code == 0)
    }

    @Test func `a writer that was killed is in nobody's way`() {
        let first = shell.start(["append"])
        first.send(fact())
        #expect(first.line() == "1")
        first.send(signal: SIGKILL)
        #expect(first.waitForEnd().code == -SIGKILL)
        #expect(shell.belfry("append", input: fact()) == .done("2"))
    }

    @Test func `beside a writer everything else works`() throws {
        let first = shell.start(["append"])
        first.send(facts(1...3))
        for number in 1...3 { #expect(first.line() == "\(number)") }
        #expect(shell.belfry("log").lines.count == 3)
        #expect(shell.belfry("log", "--user", "anna", "--from", "2").lines.count == 2)
        #expect(shell.belfry("verify").errors == "")
        #expect(shell.belfry("doctor").code == 0)
        #expect(first.end().code == 0)
    }
}

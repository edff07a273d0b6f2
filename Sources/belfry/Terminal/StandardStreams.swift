import Foundation
import Notices

/// Makes standard input, output and error safe to use, whatever the caller left of them.
enum StandardStreams {
    static func prepare() {
        holdClosedDescriptors()
        // A reader that went away and a limit on file sizes are then errors of the call, and told like any other.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // Swift's runtime takes these for a crash, prints a backtrace and goes on; whoever sends one wants an end. What
        // aborts by itself has said why before.
        signal(SIGQUIT, SIG_DFL)
        signal(SIGABRT, SIG_DFL)
        hearSignalsThatEnd()
    }

    /// A worker's threads block what ends it, and what it starts inherits that: `belfry snapshot` is to end when it is told
    /// to. What a shell has a program ignore on purpose (`nohup`, `&`) is still ignored.
    private static func hearSignalsThatEnd() {
        signal(SIGTERM, SIG_DFL)
        var ending = sigset_t()
        sigemptyset(&ending)
        for number in [SIGTERM, SIGINT] + (isOfWorker ? [] : [SIGHUP]) { sigaddset(&ending, number) }
        pthread_sigmask(SIG_UNBLOCK, &ending, nil)
        // It has a worker read its files again, and comes through as soon as there is one that listens.
        guard isOfWorker else { return }
        var rereading = sigset_t()
        sigemptyset(&rereading)
        sigaddset(&rereading, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &rereading, nil)
    }

    private static var isOfWorker: Bool {
        CommandLine.argc > 1 && CommandLine.unsafeArgv[1].map { strcmp($0, RunCommand.spec.name) == 0 } ?? false
    }

    /// Holds the place of what the caller closed. The next file opened would take it, and what is printed would be
    /// written into the log.
    ///
    /// Input and output are held the wrong way round, so that using them fails as it would have.
    private static func holdClosedDescriptors() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", mode) != descriptor {
            exit(ExitCode.environment.rawValue)
        }
    }

    /// Writes every byte; 0, or the `errno` of what went wrong.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var done = 0
        while done < bytes.count {
            let count = Foundation.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                wait(for: Int16(POLLOUT), on: descriptor, milliseconds: -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Whether the descriptor is ready, or broken, within this time; -1 waits for as long as it takes.
    @discardableResult
    static func wait(for events: Int16, on descriptor: Int32, milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }
}

/// Says something on standard error, in a line. Where even that fails there is nobody left to tell.
func complain(_ message: String) {
    Progress.clear()
    say(Visible.line(message) + "\n")
}

/// Says something to a machine: a line of JSON on standard error.
func complainAsJSON(_ write: (inout ByteBuffer) -> Void) {
    var json = ByteBuffer()
    write(&json)
    var said = ByteBuffer()
    Visible.appendJSON(json.bytes, to: &said)
    Progress.clear()
    say(said.text + "\n")
}

/// What a machine is to know of a line of facts.
func complainAsJSON(_ line: Int, _ what: StaticString, _ text: String) {
    complainAsJSON { said in
        said.append("{\"line\":\(line),\"")
        said.append(what)
        said.append("\":")
        said.appendJSONString(text)
        said.append("}")
    }
}

/// Puts text on standard error as it is: what is Belfry's own, or has been made visible.
func say(_ text: String) {
    var text = text
    text.withUTF8 { _ = StandardStreams.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
}

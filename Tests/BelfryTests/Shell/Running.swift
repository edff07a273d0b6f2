import Foundation
import Synchronization
import Testing

/// A program that runs, with a pipe to its input and pipes from its output and its errors.
///
/// Waiting is always for something to be read, and never for longer than `patience`: a program that hangs is killed,
/// and the test that started it fails.
final class Running {
    private let patience: Duration

    let process: pid_t
    private var input: Int32
    private var output: Stream
    private var errors: Stream
    private var isReaped = false

    private struct Stream {
        var descriptor: Int32
        var bytes: [UInt8] = []
        var isAtEnd = false
    }

    init(
        _ command: [String], in directory: String, environment: [String: String] = [:], waits: Bool = true,
        patience: Duration = .seconds(300)
    ) {
        self.patience = patience
        // A program that ends before it has read all must not end the test with it.
        signal(SIGPIPE, SIG_IGN)
        (process, input, output, errors) = Self.launching.withLock { _ in
            let (toInput, fromOutput, fromErrors) = (Self.pipe(), Self.pipe(), Self.pipe())
            if !waits {
                for end in [toInput.reading, fromOutput.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            }
            _ = fcntl(toInput.writing, F_SETFL, O_NONBLOCK)
            var launch = Launch(in: directory)
            launch.give(toInput.reading, as: STDIN_FILENO)
            launch.give(fromOutput.writing, as: STDOUT_FILENO)
            launch.give(fromErrors.writing, as: STDERR_FILENO)
            let process = launch.run(command, environment: environment)
            for descriptor in [toInput.reading, fromOutput.writing, fromErrors.writing] { close(descriptor) }
            return (
                process, toInput.writing, Stream(descriptor: fromOutput.reading),
                Stream(descriptor: fromErrors.reading)
            )
        }
    }

    deinit {
        closeInput()
        if !isReaped {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(output.descriptor)
        close(errors.descriptor)
    }

    /// Held while pipes are made: the programs of other tests must not inherit them and keep them open.
    private static let launching = Mutex(())

    private static func pipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(Foundation.pipe(&ends) == 0, "no pipe: \(String(cString: strerror(errno)))")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    // MARK: Its input

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Writes all of it, or what the program took before it ended.
    ///
    /// Keeps what the program prints meanwhile: it may not go on reading before that is taken from it.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        wait(sending: true) { running in
            let count = rest.withUnsafeBytes { write(running.input, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
            return rest.isEmpty || count < 0 && errno != EINTR && errno != EAGAIN
        }
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    func send(signal: Int32) { kill(process, signal) }

    // MARK: Its output

    /// The next line it prints, without the line end; `nil` when it ends first.
    func line() -> String? {
        wait { $0.output.bytes.contains(0x0A) || $0.output.isAtEnd }
        guard let end = output.bytes.firstIndex(of: 0x0A) else { return nil }
        defer { output.bytes.removeFirst(end + 1) }
        return String(decoding: output.bytes[..<end], as: UTF8.self)
    }

    /// Waits for a line of its complaints that holds this text. What it complained of stays in the outcome.
    ///
    /// - Parameter number: which of those lines, counted from 1 and from its start.
    func complaint(of text: String, number: Int = 1) -> String? {
        func lines() -> [Substring] {
            String(decoding: errors.bytes, as: UTF8.self).split(separator: "\n").filter { $0.contains(text) }
        }
        wait { $0.errors.isAtEnd || lines().count >= number }
        return lines().dropFirst(number - 1).first.map(String.init)
    }

    /// Reads no further: whoever reads the other end of its output is gone.
    func closeOutput() {
        close(output.descriptor)
        output = Stream(descriptor: -1, bytes: output.bytes, isAtEnd: true)
    }

    /// The most memory it has held so far. (What `wait4` tells counts the parent's memory too, from before the exec.)
    var peakBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") }.map { $0 << 10 } ?? .max
    }

    /// Waits for it to end, without ending its input.
    func waitForEnd() -> Outcome {
        wait { $0.output.isAtEnd && $0.errors.isAtEnd }
        var status: Int32 = 0
        precondition(waitpid(process, &status, 0) == process, "wait: \(String(cString: strerror(errno)))")
        isReaped = true
        let signal = status & 0x7F
        return Outcome(
            code: signal == 0 ? status >> 8 & 0xFF : -signal, output: String(decoding: output.bytes, as: UTF8.self),
            errors: String(decoding: errors.bytes, as: UTF8.self))
    }

    /// Ends its input and waits for it to end. The outcome has what was not read before.
    func end() -> Outcome {
        closeInput()
        return waitForEnd()
    }

    /// Reads what is printed, until what is waited for has come. It is looked for whenever something was read, or
    /// something can be written again.
    private func wait(sending isSending: Bool = false, until isDone: (Running) -> Bool) {
        let deadline = ContinuousClock.now + patience
        while !isDone(self) {
            let left = deadline - .now
            guard left > .zero else {
                Issue.record(
                    "the program hung and was killed; it had said: \(String(decoding: errors.bytes, as: UTF8.self))")
                kill(process, SIGKILL)
                return
            }
            var waiting = [output, errors].map { stream in
                pollfd(fd: stream.isAtEnd ? -1 : stream.descriptor, events: Int16(POLLIN), revents: 0)
            }
            if isSending { waiting.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
            poll(&waiting, nfds_t(waiting.count), Int32(left.components.seconds * 1000 + 999))
            if waiting[0].revents != 0 { Self.take(&output) }
            if waiting[1].revents != 0 { Self.take(&errors) }
        }
    }

    private static func take(_ stream: inout Stream) {
        let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, Foundation.read(stream.descriptor, buffer.baseAddress, buffer.count))
        }
        stream.isAtEnd = piece.isEmpty
        stream.bytes += piece
    }
}

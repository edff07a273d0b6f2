// The only file of this module that imports the C library; what differs between platforms differs here.
internal import Foundation
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why a command gave nothing. A phrase to follow its name.
enum CommandFailure: Error, Equatable, CustomStringConvertible {
    case cannotStart(code: Int32)
    case failed(status: Int32)
    case killed(signal: Int32)
    case tooLong(bytesMax: Int)
    case tooSlow(patienceMs: Int)

    var description: String {
        switch self {
        case .cannotStart(let code): "it cannot be started: \(strerror(code).map { String(cString: $0) } ?? "\(code)")"
        case .failed(let status): "it ended with exit code \(status)"
        case .killed(let signal): "it was ended by signal \(signal)"
        case .tooLong(let bytesMax): "it printed more than \(bytesMax) bytes"
        case .tooSlow(let patienceMs): "it did not end within \(patienceMs / 1000) s"
        }
    }
}

/// A line for the shell, run for what it prints. It reads nothing, and its errors go where the program's go.
struct ShellCommand {
    private let line: String

    init(_ line: String) { self.line = line }

    func output(bytesMax: Int, patienceMs: Int) throws(CommandFailure) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .cannotStart(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let started = start(printingTo: ends[1])
        close(ends[1])
        let child: pid_t
        switch started {
        case .success(let started): child = started
        case .failure(let failure): throw failure
        }
        let printed = Self.read(ends[0], bytesMax: bytesMax, patienceMs: patienceMs)
        // What it has started as well: it is a group of its own.
        if case .failure = printed { kill(-child, SIGKILL) }
        let status = Self.end(of: child)
        let bytes = try printed.get()
        // The low seven bits are the signal that ended it, the next byte is its exit code.
        guard status & 0x7F == 0 else { throw .killed(signal: status & 0x7F) }
        guard status >> 8 & 0xFF == 0 else { throw .failed(status: status >> 8 & 0xFF) }
        return bytes
    }

    private func start(printingTo output: Int32) -> Result<pid_t, CommandFailure> {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let environment = Self.terminated(ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
        let arguments = Self.terminated(["/bin/sh", "-c", line])
        defer { for text in environment + arguments { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environment)
        return code == 0 ? .success(child) : .failure(.cannotStart(code: code))
    }

    /// Texts as C takes a list of them, to be freed by the caller.
    private static func terminated(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { text in strdup(text) } + [nil]
    }

    /// All that is printed, until nobody is left who could print more.
    private static func read(_ end: Int32, bytesMax: Int, patienceMs: Int) -> Result<[UInt8], CommandFailure> {
        let deadline = ContinuousClock.now + .milliseconds(patienceMs)
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count <= bytesMax {
            let rest = (deadline - .now) / .milliseconds(1)
            var one = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
            let ready = rest > 0 ? poll(&one, 1, Int32(rest.rounded(.up))) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return .failure(.tooSlow(patienceMs: patienceMs)) }
            let taken = bytes.withUnsafeMutableBytes { buffer in
                systemRead(end, UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else { return .success(Array(bytes[..<count])) }
            count += taken
        }
        return .failure(.tooLong(bytesMax: bytesMax))
    }

    private static func end(of child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

// Under another name, because `ShellCommand` has a verb of this name itself.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

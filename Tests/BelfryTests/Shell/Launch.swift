import CLaunch
import Foundation

/// A program about to be run: `posix_spawn`, because the tests ask for what it used (`wait4`) and for signals as a
/// shell would leave them.
struct Launch: ~Copyable {
    private var actions = posix_spawn_file_actions_t()
    private var attributes = posix_spawnattr_t()

    private let directory: String

    init(in directory: String) {
        self.directory = directory
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    }

    deinit {
        var (actions, attributes) = (actions, attributes)
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }

    mutating func give(_ descriptor: Int32, as place: Int32) {
        posix_spawn_file_actions_adddup2(&actions, descriptor, place)
    }

    mutating func run(_ command: [String], environment changes: [String: String]) -> pid_t {
        let environment = ProcessInfo.processInfo.environment.merging(changes) { $1 }.map { "\($0)=\($1)" }
        // POSIX has no way to say where; the shell goes there and becomes the program.
        let command = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory] + command
        // What other tests have open at the moment is not for it, whether they said so or not.
        belfry_launch_closes(&actions, STDERR_FILENO + 1)
        var words = command.map { strdup($0) } + [nil]
        var settings = environment.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var process: pid_t = 0
        let answer = posix_spawn(&process, command[0], &actions, &attributes, &words, &settings)
        precondition(answer == 0, "cannot run \(command[0]): \(String(cString: strerror(answer)))")
        return process
    }
}

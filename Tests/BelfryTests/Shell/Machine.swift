import Foundation

/// What this machine lets a test do.
enum Machine {
    static let isRoot = geteuid() == 0

    /// The command that gives a script mounts of its own, which are gone when it ends; `nil` where that is not allowed.
    static let withOwnMounts: String? = [isRoot ? "unshare -m" : "unshare -rm"].first { command in
        Shell().bash("\(command) mount -t tmpfs none /tmp").code == 0
    }

    static let hasOwnMounts = withOwnMounts != nil

    static func has(_ program: String) -> Bool { Shell().bash("command -v \(program)").code == 0 }
}

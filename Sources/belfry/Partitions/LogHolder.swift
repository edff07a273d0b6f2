import Foundation

/// What whoever has a log writes of itself beside its lock, and tells those who want it too.
enum LogHolder {
    static let worker = own("run")

    static func own(_ command: String) -> String { "process \(getpid()) \(words(command))" }

    /// Whether it is a worker, whoever's process that is.
    static func isWorker(_ holder: String) -> Bool { holder.hasSuffix(" " + words("run")) }

    private static func words(_ command: String) -> String { "(belfry \(command))" }
}

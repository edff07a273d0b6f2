internal import Foundation

/// Whether more seeds and longer histories were asked for (`ops/test --long`).
public enum LongRun {
    public static let isAskedFor = ProcessInfo.processInfo.environment["BELFRY_LONG"] == "1"

    /// How many random lives; `nil` for as many as an ordinary run has.
    public static let lives: Int? =
        ProcessInfo.processInfo.environment["BELFRY_LIVES"].flatMap { Int($0) } ?? (isAskedFor ? 1_000_000 : nil)
}

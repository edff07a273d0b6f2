import Foundation

/// Whether more seeds and longer histories were asked for (`ops/test --long`).
enum LongRun {
    static let isAskedFor = ProcessInfo.processInfo.environment["BELFRY_LONG"] == "1"
}

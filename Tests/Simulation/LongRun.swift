internal import Foundation

/// Whether more seeds and longer histories were asked for (`ops/test --long`).
public enum LongRun {
    public static let isAskedFor = ProcessInfo.processInfo.environment["BELFRY_LONG"] == "1"
}

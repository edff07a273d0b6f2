internal import Foundation

/// Whether more seeds and longer histories were asked for (`ops/test --long`).
package enum LongRun {
    package static let isAskedFor = ProcessInfo.processInfo.environment["BELFRY_LONG"] == "1"
}

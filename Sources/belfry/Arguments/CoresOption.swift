import Foundation
import Worker

extension Cores {
    /// More threads than any machine has cores help nobody.
    private static let most = 256

    /// All there are.
    static let all = Cores(min(most, max(1, ProcessInfo.processInfo.activeProcessorCount)))

    /// As many as are asked for, or as there are.
    init(_ arguments: Arguments, _ spec: CommandSpec) throws(Failure) {
        guard let word = arguments[CommandSpec.cores] else {
            self = .all
            return
        }
        guard let count = Int(word), (1...Self.most).contains(count) else {
            throw .usage("--cores takes a number from 1 to \(Self.most), not \"\(word)\"", spec)
        }
        self.init(count)
    }
}

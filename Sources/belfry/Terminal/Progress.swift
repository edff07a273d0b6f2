import Foundation
import Synchronization

/// A line on standard error that says how far long work has come. Silent where that is no terminal, and for the
/// first second.
final class Progress: Sendable {
    private let isShown: Bool
    private let verb: String
    private let total: Int?
    private let start = DispatchTime.now().uptimeNanoseconds
    private let shownAt = Atomic<UInt64>(0)
    /// Whether the line is on the terminal: whoever else writes there takes it away first.
    private static let isOnScreen = Atomic(false)

    private static let quietNanoseconds: UInt64 = 1_000_000_000
    private static let pauseNanoseconds: UInt64 = 200_000_000

    /// - Parameters:
    ///   - total: how much there is to do in bytes, where that is known.
    ///   - prints: whether the command prints on standard output meanwhile. On a terminal what it prints shows how far
    ///     it is, and the two must not be mixed.
    init(_ verb: String, total: Int?, prints: Bool = false) {
        isShown = isatty(STDERR_FILENO) == 1 && !(prints && isatty(STDOUT_FILENO) == 1)
        self.verb = verb
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
    }

    deinit { finish() }

    func update(bytes: Int, detail: @autoclosure () -> String = "") {
        guard isShown else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - start > Self.quietNanoseconds, now - shownAt.load(ordering: .relaxed) > Self.pauseNanoseconds
        else { return }
        shownAt.store(now, ordering: .relaxed)
        let line = ProgressLine(verb: verb, done: bytes, total: total, seconds: Double(now - start) / 1e9)
        show(line.text(detail: detail(), columns: Self.columns))
    }

    func finish() { Self.clear() }

    /// Takes the line away, so that something else can be said. The next update brings it back.
    static func clear() {
        if isOnScreen.exchange(false, ordering: .relaxed) { say(erase) }
    }

    private static let erase = "\r\u{1B}[K"

    /// A line that wraps cannot be taken back.
    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private func show(_ text: String) {
        Self.isOnScreen.store(true, ordering: .relaxed)
        say(Self.erase + text)
    }
}

/// What a progress line says: `verifying [######··············]  31%  212 MiB  850 MB/s  5 s left`.
struct ProgressLine {
    let verb: String
    let done: Int
    /// `nil` where nobody knows, as of a pipe: then there is neither bar nor time left.
    let total: Int?
    let seconds: Double

    private static let barColumns = 8...20

    /// The bar is as long as the rest leaves it room; what has none even so is left out from the end, word for word.
    func text(detail: String, columns: Int) -> String {
        var parts = ["\(done >> 20) MiB", "\(String(format: "%.1f", Double(done) / seconds / 1e6)) MB/s"]
        if let total, done > 0 {
            parts.append("\(Self.told(seconds / Double(done) * Double(max(0, total - done)))) left")
        }
        if !detail.isEmpty { parts.append(detail) }
        var start = verb
        if let total {
            // A log may have grown since it was measured.
            let share = min(1, Double(done) / Double(total))
            let percent = "\(String(format: "%3d", Int(share * 100)))%"
            let others = parts.reduce("\(verb) [] \(percent)".count) { $0 + 2 + $1.count }
            let length = min(max(columns - 1 - others, Self.barColumns.lowerBound), Self.barColumns.upperBound)
            let filled = Int(share * Double(length))
            start +=
                " [\(String(repeating: "#", count: filled))\(String(repeating: "·", count: length - filled))] \(percent)"
        }
        var line = start
        for part in parts {
            guard line.count + 2 + part.count < columns else { break }
            line += "  " + part
        }
        return String(line.prefix(max(0, columns - 1)))
    }

    /// Rounded up: what is said to be left is enough.
    private static func told(_ seconds: Double) -> String {
        // More than that is a guess that nobody believes.
        let seconds = Int(min(seconds, 360_000).rounded(.up))
        switch seconds {
        case ..<90: return "\(seconds) s"
        case ..<5400: return "\((seconds + 59) / 60) min"
        default: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        }
    }
}

import Foundation

/// A line on standard error that says how far long work has come. Silent where that is no terminal, and for the
/// first second.
final class Progress {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let verb: String
    private let total: Int?
    private let start = DispatchTime.now().uptimeNanoseconds
    private var shownAt: UInt64 = 0
    private var isDirty = false

    /// - Parameter total: how much there is to do in bytes, where that is known.
    init(_ verb: String, total: Int?) {
        self.verb = verb
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
    }

    func update(bytes: Int, detail: @autoclosure () -> String = "") {
        guard isShown else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - start > 1_000_000_000, now - shownAt > 200_000_000 else { return }
        shownAt = now
        isDirty = true
        let part = total.map { " \(min(100, bytes * 100 / $0))%" } ?? ""
        let rate = Double(bytes) / Double(now - start) * 1000
        show("\(verb)\(part)  \(bytes >> 20) MiB  \(String(format: "%.0f", rate)) MB/s  \(detail())")
    }

    func finish() {
        if isDirty { show("") }
        isDirty = false
    }

    private func show(_ text: String) {
        say("\r\u{1B}[K\(text)")
    }
}

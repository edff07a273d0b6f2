import Testing

/// Workers whose pages a real browser opens. Each scenario also fails where anything is on the browser's console, or where the page
/// asked anybody but the worker.
struct PageBench {
    let shell = Shell()
    /// A worker ends with the last who knows it.
    private let kept = Kept()

    private final class Kept {
        var workers: [Running] = []
    }

    func worker(_ words: String..., port: Int = 0) throws -> (Running, port: Int) {
        let worker = shell.start(try ["run", "--jobs", "spool:out"] + shell.listening(on: port) + words)
        kept.workers.append(worker)
        let port = try worker.port()
        try worker.expectReady()
        return (worker, port)
    }
}

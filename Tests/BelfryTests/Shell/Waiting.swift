import Foundation
import Testing

/// Looks again and again whether another process has done something, for five minutes at most: none tells when it has. Whoever
/// waits says what must be so behind it.
func waitForOthers(_ isDone: () throws -> Bool) rethrows {
    let deadline = ContinuousClock.now + .seconds(300)
    while try !isDone(), ContinuousClock.now < deadline { poll(nil, 0, 20) }
}

extension Shell {
    /// Waits until the log holds so many events of a type, for as long as the worker lives.
    @discardableResult
    func events(_ type: String, _ count: Int, while worker: Running) throws -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        try waitForOthers {
            events = try belfry("log", "--type", type).events()
            return events.count >= count || !worker.isAlive
        }
        guard events.count < count else { return events }
        // One that lives is ended, so that what it said can be told.
        worker.send(signal: SIGKILL)
        let said = worker.end().errors
        try #require(events.count >= count, "\(type): \(said)")
        return events
    }
}

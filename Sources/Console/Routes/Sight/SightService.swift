public import CivilTime
public import Notices

/// What the console shows of now, of a day and of what is to come.
public struct SightService: Sendable {
    /// Asked every second or so by every page that is open, on the server's own thread: it must not wait for the worker.
    public var now: @Sendable () -> JSONValue
    /// One person's local day; `nil` for the day that it is where they are. Bounded like a question.
    public var day: @Sendable (_ user: String, LocalDate?, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// What the next hours hold for everybody.
    public var agenda: @Sendable (AgendaQuestion, Asker, @escaping @Sendable (Answer) -> Void) -> Void

    public init(
        now: @escaping @Sendable () -> JSONValue,
        day: @escaping @Sendable (String, LocalDate?, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        agenda: @escaping @Sendable (AgendaQuestion, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    ) {
        (self.now, self.day, self.agenda) = (now, day, agenda)
    }
}

public struct AgendaQuestion: Sendable, Equatable {
    public var hours: Int
    public var stepMinutes: Int
    /// Of what kind those are that are named; `nil` for any.
    public var kind: String?

    public init(hours: Int = 24, stepMinutes: Int = 60, kind: String? = nil) {
        (self.hours, self.stepMinutes, self.kind) = (hours, stepMinutes, kind)
    }
}

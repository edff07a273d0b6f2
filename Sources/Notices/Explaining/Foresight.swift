/// How far people's days are lived ahead for one answer, all that it foretells together.
///
/// Most people are woken a few times a day and cost nothing to speak of. Somebody may have hundreds of goals that are reminded of
/// every other hour, and nobody else is to wait for an answer about them (`G11`).
public final class Foresight {
    private var left: Int
    private let isWanted: () -> Bool
    /// Whether something was left unforeseen.
    public private(set) var isCutShort = false

    /// - Parameters:
    ///   - work: as a desk counts it, some microseconds each at most.
    ///   - isWanted: asked at every wake.
    public init(work: Int, isWanted: @escaping () -> Bool = { true }) {
        left = work
        self.isWanted = isWanted
    }

    /// Some tenths of a second.
    public static let workOfOneAnswer = 150_000

    /// Whether one more wake may be lived.
    func goesOn() -> Bool {
        if left > 0, isWanted() { return true }
        isCutShort = true
        return false
    }

    func spend(_ work: Int) { left -= work }
}

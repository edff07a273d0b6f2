internal import Queueing

/// What waits for its first try, in its order. Somebody stands waiting for a test, so it goes before the rest (`N8`); they are too few to
/// keep anything waiting for long.
struct FreshLine {
    private var tests = WaitingLine<Parcel>()
    private var others = WaitingLine<Parcel>()

    var count: Int { tests.count + others.count }
    var isEmpty: Bool { tests.isEmpty && others.isEmpty }
    var hasTests: Bool { !tests.isEmpty }

    mutating func append(_ parcel: Parcel, isTest: Bool) {
        if isTest { tests.append(parcel) } else { others.append(parcel) }
    }

    mutating func popFirst() -> Parcel? { tests.popFirst() ?? others.popFirst() }

    /// Takes out those of which it is so, in order. Costs a look at each.
    mutating func take(where isTaken: (Parcel) -> Bool) -> [Parcel] {
        tests.take(where: isTaken) + others.take(where: isTaken)
    }

    /// All that wait, in order.
    var elementsLeft: [Parcel] { Array(tests.elementsLeft) + others.elementsLeft }

    /// The first ones, in order.
    func prefix(_ limit: Int) -> [Parcel] {
        let first = Array(tests.prefix(limit))
        return first + others.prefix(limit - first.count)
    }
}

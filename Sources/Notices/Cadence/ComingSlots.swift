internal import CivilTime

/// A person's slots in order of time, whichever of their schedules name them.
///
/// Each schedule is asked for its first slot, and for another only when that was taken: who has hundreds of goals costs one look a
/// schedule and one a slot that is wanted, however many slots there are.
struct ComingSlots {
    /// A schedule, with the slot of its that comes next.
    private struct Coming {
        let place: Int
        let stream: Stream
        let slot: Slot

        func isBefore(_ other: Coming) -> Bool {
            (slot.instant, place) < (other.slot.instant, other.place)
        }
    }

    private let person: Person
    private let plan: Plan
    private let end: Instant
    private let withSilentDigests: Bool
    /// A heap: each is before those at twice its place and one or two on.
    private var heap: [Coming] = []
    /// How often a schedule was asked.
    private(set) var looks = 0

    /// - Parameters:
    ///   - start: only slots strictly after it.
    ///   - end: the last instant at which one may be.
    ///   - withSilentDigests: digests too that have nothing to say as things stand, and those behind the first.
    init(of person: Person, after start: Instant, through end: Instant, _ plan: Plan, withSilentDigests: Bool) {
        (self.person, self.plan, self.end, self.withSilentDigests) = (person, plan, end, withSilentDigests)
        var streams: [Stream] = []
        person.forEachStream(plan) { stream in
            if withSilentDigests || !person.isSilent(stream, plan) { streams.append(stream) }
        }
        for (place, stream) in streams.enumerated() {
            guard let coming = look(stream, place, after: start) else { continue }
            heap.append(coming)
            rise(from: heap.count - 1)
        }
    }

    mutating func next() -> Slot? {
        guard let first = heap.first else { return nil }
        // With its digest goes all that it had to say.
        let isLast = first.stream.digest != nil && !withSilentDigests
        if !isLast, let further = look(first.stream, first.place, after: first.slot.instant) {
            heap[0] = further
        } else {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        sink()
        return first.slot
    }

    private mutating func look(_ stream: Stream, _ place: Int, after instant: Instant) -> Coming? {
        looks += 1
        guard let slot = person.nextSlot(stream, after: instant, plan, nil), slot.instant <= end else { return nil }
        return Coming(place: place, stream: stream, slot: slot)
    }

    private mutating func rise(from place: Int) {
        var place = place
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink() {
        var place = 0
        while true {
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].isBefore(heap[$1]) }), heap[least].isBefore(heap[place])
            else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}

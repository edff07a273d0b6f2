internal import CivilTime

/// What the calendars of zones say, worked out once for all who ask: many people are woken for the same 09:00 in Paris,
/// and all of their nights end at the same 08:00.
///
/// Each answer is kept with the instants for which it is the answer, so that it is what the zone itself would say. A desk
/// has one, and like the desk it serves one thread.
final class Almanac {
    /// From one instant on the next slot is the one at the other.
    private struct KeptSlot {
        var zone: Unmanaged<ZoneRules>?
        var from = Instant.distantFuture
        var slot = SlotMoment(date: LocalDate(daysSince1970: 0), time: .midnight, instant: .distantPast)
        var days: WeekdaySet = []

        /// Whether it is the next after an instant.
        @inline(__always)
        func isNext(after instant: Instant) -> Bool {
            instant >= from
                && instant < slot.instant
        }
    }

    /// From one instant to the start of the stretch no window is open, and in it one is.
    private struct KeptWindow {
        var zone: Unmanaged<ZoneRules>?
        var window = DailyWindow(start: .midnight, end: .midnight, days: [])
        var from = Instant.distantFuture
        var start = Instant.distantFuture
        var end = Instant.distantPast

        /// Whether the next that begins after an instant is this one.
        func isNext(after instant: Instant) -> Bool {
            from <= instant
                && instant < start
        }

        /// Whether no other is open at an instant.
        func isAlone(at instant: Instant) -> Bool {
            instant >= from
                && instant < end
        }

        func isOpen(at instant: Instant) -> Bool { instant >= start }
    }

    /// A slot's date and time in words: its notice, its job and its mark are all named after it.
    private struct KeptWords {
        var local: LocalDateTime?
        var text = ""
    }

    // Powers of two. What falls on the same place displaces what was there.
    private static let slotsKept = 256
    private static let windowsKept = 64

    // Allocated with the almanac, freed with it, never handed out, and indexed only below their sizes.
    private let slots: UnsafeMutablePointer<KeptSlot>
    private let windows: UnsafeMutablePointer<KeptWindow>
    @exclusivity(unchecked) private var words = [KeptWords](repeating: KeptWords(), count: 16)

    init() {
        slots = .allocate(capacity: Self.slotsKept)
        slots.initialize(repeating: KeptSlot(), count: Self.slotsKept)
        windows = .allocate(capacity: Self.windowsKept)
        windows.initialize(repeating: KeptWindow(), count: Self.windowsKept)
    }

    deinit {
        for place in 0..<Self.slotsKept { slots[place].zone?.release() }
        for place in 0..<Self.windowsKept { windows[place].zone?.release() }
        slots.deallocate()
        windows.deallocate()
    }

    // MARK: Slots

    /// `ZoneRules.nextSlot`, remembered.
    func nextSlot(
        _ zone: ZoneRules, time: LocalTime, days: WeekdaySet, strictlyAfter instant: Instant
    ) -> SlotMoment? {
        // A day of instants has a place of its own: people who were settled on different days ask in turn.
        let day = UInt64(bitPattern: instant.milliseconds >> 27)
        let first = Self.place(
            zone, day << 24 | UInt64(time.minuteOfDay) << 8 | UInt64(days.rawValue), of: Self.slotsKept)
        var place = first
        var known = holds(place, zone, time, days)
        if !known {
            place = first ^ 1
            known = holds(place, zone, time, days)
        }
        if known, slots[place].isNext(after: instant) { return slots[place].slot }
        guard let slot = zone.nextSlot(time: time, days: days, strictlyAfter: instant) else { return nil }
        if known, slots[place].slot == slot {
            slots[place].from = min(slots[place].from, instant)
        } else {
            // Of two places the one whose slot has passed, or passes first.
            if !known { place = slots[first].slot.instant <= slots[first ^ 1].slot.instant ? first : first ^ 1 }
            // Kept alive, so that no other zone comes to lie at its address.
            let old = slots[place].zone
            slots[place] = KeptSlot(zone: .passRetained(zone), from: instant, slot: slot, days: days)
            old?.release()
        }
        return slot
    }

    @inline(__always)
    private func holds(_ place: Int, _ zone: ZoneRules, _ time: LocalTime, _ days: WeekdaySet) -> Bool {
        Unmanaged.passUnretained(zone).toOpaque() == slots[place].zone?.toOpaque()
            && slots[place].slot.time == time && slots[place].days == days
    }

    // MARK: Windows

    /// When the window ends that holds an instant; `nil` outside all of them.
    func end(of window: DailyWindow, containing instant: Instant, in zone: ZoneRules) -> Instant? {
        if let place = find(window, zone), windows[place].isAlone(at: instant) {
            return windows[place].isOpen(at: instant) ? windows[place].end : nil
        }
        guard let open = window.interval(containing: instant, in: zone) else {
            _ = start(of: window, after: instant, in: zone)
            return nil
        }
        keep(window, zone, from: open.lowerBound, open)
        return open.upperBound
    }

    /// When the first window begins that begins strictly after an instant.
    func start(of window: DailyWindow, after instant: Instant, in zone: ZoneRules) -> Instant? {
        if let place = find(window, zone), windows[place].isNext(after: instant) {
            return windows[place].start
        }
        guard let next = window.next(after: instant, in: zone) else { return nil }
        if window.interval(containing: instant, in: zone) == nil { keep(window, zone, from: instant, next) }
        return next.lowerBound
    }

    private func find(_ window: DailyWindow, _ zone: ZoneRules) -> Int? {
        let place = Self.place(window, zone)
        return Unmanaged.passUnretained(zone).toOpaque() == windows[place].zone?.toOpaque()
            && windows[place].window == window ? place : nil
    }

    /// Longer stretches than a day are answered anew each time: of one without an end as much is given as can be seen from
    /// the instant that is asked about.
    private func keep(_ window: DailyWindow, _ zone: ZoneRules, from: Instant, _ stretch: Range<Instant>) {
        guard stretch.upperBound.milliseconds(since: stretch.lowerBound) < 86_400_000 else { return }
        let place = Self.place(window, zone)
        let old = windows[place].zone
        windows[place] = KeptWindow(
            zone: .passRetained(zone), window: window, from: from, start: stretch.lowerBound, end: stretch.upperBound)
        old?.release()
    }

    private static func place(_ window: DailyWindow, _ zone: ZoneRules) -> Int {
        place(zone, UInt64(window.start.minuteOfDay) << 16 | UInt64(window.end.minuteOfDay), of: windowsKept)
    }

    // MARK: Words

    /// `LocalDateTime.description`, remembered.
    func text(of local: LocalDateTime) -> String {
        let place = (Int(local.date.daysSince1970) &* 5 &+ Int(local.time.minuteOfDay)) & 15
        if words[place].local == local { return words[place].text }
        words[place] = KeptWords(local: local, text: local.description)
        return words[place].text
    }

    /// A place in a table of a size that is a power of two.
    @inline(__always)
    private static func place(_ zone: ZoneRules, _ rest: UInt64, of size: Int) -> Int {
        let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(zone).toOpaque()))
        return Int(truncatingIfNeeded: ((address >> 4) ^ rest) &* 0x9E37_79B9_7F4A_7C15 >> 40) & (size - 1)
    }
}

internal import CivilTime
internal import Notices

/// What became of a job at one target in the end.
struct Ending: Equatable {
    enum Result: Equatable {
        case taken(providerID: String?)
        case failed(reason: String, isDead: Bool)
        /// The job could not be read: nothing can be said of it.
        case unread
        /// It was not there any more, and the job goes to others instead.
        case moved
    }

    var target: Int
    var result: Result
}

/// A part of a job that has its own outcome: its channels, where it goes for them, and what has become of that.
struct Route {
    /// Empty for all that the job names.
    var channels: [Channel]
    var targets: [Target]
    var spare: [Channel]
    var left: Int
    /// Whoever still waits for a carrier then waits no longer.
    var lastMoment: Instant?
    var endings: [Ending] = []
    /// Whether its outcome is on its way into the log, though some targets may still be tried.
    var isTold = false
    /// What the channels before it came to, each of which it was given way by.
    var before: [Failure] = []

    struct Failure: Equatable {
        var channel: Channel
        var reason: String
        var isPermanent: Bool
    }

    init(_ plan: RoutePlan) {
        channels = plan.channels
        targets = plan.targets
        spare = plan.spare
        left = plan.targets.count
    }

    /// Sinks all have to take it; of a channel's addresses one is enough.
    var isOfSinks: Bool { !targets.isEmpty && targets.allSatisfy { $0.address == .sink } }

    fileprivate static let allChannels = ChannelSet(Channel.allCases)

    /// The channels that something is still done about, with those that it gave way by: what became of them is told at its end.
    fileprivate var channelsToCome: ChannelSet {
        let (own, past) = (ChannelSet(channels), ChannelSet(before.map(\.channel)))
        // Until it is known where it goes instead, nothing of it is left.
        let givesWay = !before.isEmpty && own.isSubset(of: past)
        guard left > 0 || givesWay else { return [] }
        return channels.isEmpty ? Self.allChannels : own.union(past)
    }

    /// What it has come to, once nothing of it is left.
    var outcome: Outcome {
        var reasons: [String] = []
        var isTaken = false
        var providerID: String?
        var areDead = !endings.isEmpty
        for ending in endings.sorted(by: { $0.target < $1.target }) {
            switch ending.result {
            case .taken(let id): (isTaken, providerID, areDead) = (true, providerID ?? id, false)
            case .failed(let reason, let isDead):
                if !reasons.contains(reason) { reasons.append(reason) }
                areDead = areDead && isDead
            case .unread: return .unknown
            case .moved: continue
            }
        }
        return .known(isTaken: isTaken, providerID: providerID, reasons: reasons, areDead: areDead)
    }

    enum Outcome {
        case known(isTaken: Bool, providerID: String?, reasons: [String], areDead: Bool)
        case unknown
    }
}

/// The jobs that are not done with: 24 bytes each, and a little more once they were sorted or a first carrier is done.
///
/// Where no sender has a part in it, a job has one route with every sink as its target, and that is not written down until
/// there is something to say of it.
struct JobTable {
    private struct Details {
        var routes: [Route]
        var routesLeft: Int
        var hasGivenWay = false
    }

    private let sinks: [Target]
    private var places: [JobPlace] = []
    private var free: [UInt32] = []
    private var details: [UInt32: Details] = [:]
    /// Channels that jobs have been tried on instead of others, by their numbers, and how many of the table's have part in it:
    /// one that a report brought back may be here twice (`N4`).
    private var ways: [UInt64: (used: ChannelSet, slots: Int)] = [:]

    init(sinks: [Int]) {
        precondition(sinks.count < 256, "jobs for \(sinks.count) sinks")
        self.sinks = sinks.map { Target(carrier: $0, address: .sink) }
    }

    var count: Int { places.count - free.count }

    subscript(slot: UInt32) -> JobPlace { places[Int(slot)] }

    mutating func insert(_ place: JobPlace) -> UInt32 {
        if let slot = free.popLast() {
            places[Int(slot)] = place
            return slot
        }
        places.append(place)
        return UInt32(places.count - 1)
    }

    /// What of one log's places is not in the table: all of a job, or the channels that it has nothing more to do about, though the
    /// log has no outcome of theirs.
    ///
    /// - Parameter words: outcomes that the log is about to have.
    func missing(of places: [JobPlace], besides words: [Outbox.Word] = []) -> [JobPlace] {
        let positions = places.lazy.map(\.position)
        guard count > 0 || !words.isEmpty, let first = positions.min(), let last = positions.max() else {
            return places
        }
        var here: [JobPlace: ChannelSet] = [:]
        for slot in slots(in: first...last) { here[self[slot].errand, default: []].formUnion(channelsToCome(slot)) }
        var told: [JobPlace: ChannelSet] = [:]
        for word in words { told[word.place, default: []].formUnion(word.channels) }
        return places.compactMap { place in
            let (known, told) = (here[place.errand], told[place.ofAllChannels])
            guard known != nil || told != nil else { return place }
            // What takes a channel's place goes out on one of several, and is told together.
            if place.insteadOf != nil {
                return known == nil && told?.isDisjoint(with: place.channels) == true ? place : nil
            }
            var left = place
            left.channels.subtract((known ?? []).union(told ?? []))
            return left.channels.isEmpty ? nil : left
        }
    }

    func places(in positions: Range<UInt64>) -> Set<JobPlace> {
        guard let last = positions.last else { return [] }
        return Set(slots(in: positions.lowerBound...last).map { self[$0].ofAllChannels })
    }

    /// Of the jobs in the table those of a log, which is all between two positions. It is looked through as a whole, because an
    /// index would cost every job memory, and logs are opened rarely.
    private func slots(in positions: ClosedRange<UInt64>) -> [UInt32] {
        var isFree = [Bool](repeating: false, count: places.count)
        for slot in free { isFree[Int(slot)] = true }
        return places.indices.filter { !isFree[$0] && positions.contains(places[$0].position) }.map { UInt32($0) }
    }

    /// The channels of a job that something is still done about: all as long as nobody has sorted them.
    private func channelsToCome(_ slot: UInt32) -> ChannelSet {
        guard let details = details[slot] else { return Route.allChannels }
        return details.routes.reduce(into: []) { $0.formUnion($1.channelsToCome) }
    }

    func target(of parcel: Parcel) -> Target {
        details[parcel.slot]?.routes[Int(parcel.route)].targets[Int(parcel.target)] ?? sinks[Int(parcel.target)]
    }

    /// Where a job that was sorted is to go. Answers its routes' first targets.
    mutating func sort(_ slot: UInt32, _ plans: [RoutePlan]) {
        details[slot] = Details(routes: plans.map { Route($0) }, routesLeft: plans.count)
    }

    /// Where a route goes on that gave way to another channel.
    mutating func extend(_ slot: UInt32, _ route: UInt8, to channel: Channel, _ targets: [Target]) {
        details[slot]?.routes[Int(route)].channels = [channel]
        details[slot]?.routes[Int(route)].targets = targets
        details[slot]?.routes[Int(route)].endings = []
        details[slot]?.routes[Int(route)].left = targets.count
    }

    /// From now on a route's parcels wait until its job's time is over or, where it can give way to another channel, until there
    /// is just time for that: half a minute, or half of what is left.
    mutating func setLastMoment(_ slot: UInt32, _ route: UInt8, of order: Order, at now: Instant) {
        guard let end = order.notAfter, let known = details[slot]?.routes[Int(route)] else { return }
        let lead = known.spare.isEmpty ? 0 : min(Self.leadMs, max(0, end.milliseconds(since: now) / 2))
        details[slot]?.routes[Int(route)].lastMoment = end.advanced(byMilliseconds: -lead)
    }

    private static let leadMs: Int64 = 30_000

    func lastMoment(of parcel: Parcel) -> Instant? { details[parcel.slot]?.routes[Int(parcel.route)].lastMoment }

    /// A device is not there any more, or the channel has another sort of sender: the job goes to those that are there now, but for
    /// those that it went to, or still waits to go to, and is done with this one. Answers what is to be done for that; `nil` where it
    /// goes nowhere instead.
    mutating func move(_ parcel: Parcel, to others: [Target]) -> [Parcel]? {
        guard var route = details[parcel.slot]?.routes[Int(parcel.route)] else { return nil }
        let (targets, own) = (route.targets, Int(parcel.target))
        func isOfOtherSort(_ place: Int) -> Bool {
            (targets[place].address == .sink) != (targets[own].address == .sink)
        }
        // What it was taken from as the channel was given this sort may be where it goes again, once that is taken back.
        let left = Set(route.endings.filter { $0.result == .moved }.map(\.target).filter(isOfOtherSort))
        let known = targets.indices.filter { !left.contains($0) }
        let given = Set(route.endings.compactMap { if case .failed = $0.result { $0.target } else { nil } } + [own])
        let kept = known.filter { !given.contains($0) }.map { targets[$0].device }
        let keys = Set(known.map { targets[$0].key })
        let fresh = others.filter { ($0.device == nil || !kept.contains($0.device)) && !keys.contains($0.key) }
            .prefix(Int(UInt8.max) - targets.count)
        let ended = Set(route.endings.map(\.target))
        let isAwaitedThere = known.contains { place in
            isOfOtherSort(place) && !ended.contains(place) && others.contains { $0.key == targets[place].key }
        }
        guard !fresh.isEmpty || isAwaitedThere else { return nil }
        let first = targets.count
        route.targets += fresh
        route.endings.append(Ending(target: Int(parcel.target), result: .moved))
        route.left += fresh.count - 1
        details[parcel.slot]?.routes[Int(parcel.route)] = route
        return (first..<route.targets.count).map {
            Parcel(slot: parcel.slot, route: parcel.route, target: UInt8($0))
        }
    }

    /// A carrier is done with a parcel. Answers the whole route when nothing of it is left.
    mutating func end(_ parcel: Parcel, _ result: Ending.Result) -> Route? {
        let usual = RoutePlan(channels: [], targets: sinks)
        var known = details[parcel.slot] ?? Details(routes: [Route(usual)], routesLeft: 1)
        known.routes[Int(parcel.route)].endings.append(Ending(target: Int(parcel.target), result: result))
        known.routes[Int(parcel.route)].left -= 1
        details[parcel.slot] = known
        let route = known.routes[Int(parcel.route)]
        return route.left == 0 ? route : nil
    }

    /// The route that this parcel was the first of to be taken, unless all of its targets have to: its channel has it (`N2`).
    mutating func tellOnce(_ parcel: Parcel) -> Route? {
        guard var known = details[parcel.slot] else { return nil }
        let route = known.routes[Int(parcel.route)]
        guard !route.isTold, !route.isOfSinks else { return nil }
        known.routes[Int(parcel.route)].isTold = true
        details[parcel.slot] = known
        return route
    }

    func route(_ slot: UInt32, _ route: UInt8) -> Route? { details[slot]?.routes[Int(route)] }

    /// The channel that a route gives way to, if there is one that nothing of the job has used.
    mutating func giveWay(
        _ slot: UInt32, _ route: UInt8, after failures: [Route.Failure]
    ) -> Channel? {
        guard var known = details[slot] else { return nil }
        let spare = known.routes[Int(route)].spare
        var way = ways[self[slot].seq] ?? (used: [], slots: 0)
        guard let next = spare.first(where: { !way.used.contains(ChannelSet($0)) }) else { return nil }
        way.used.insert(ChannelSet(next))
        way.slots += known.hasGivenWay ? 0 : 1
        ways[self[slot].seq] = way
        known.hasGivenWay = true
        known.routes[Int(route)].spare = spare.filter { $0 != next }
        known.routes[Int(route)].before += failures
        details[slot] = known
        return next
    }

    /// Takes a channel out of a route that has others.
    mutating func leaveOut(_ channel: Channel, _ parcel: Parcel) {
        details[parcel.slot]?.routes[Int(parcel.route)].channels.removeAll { $0 == channel }
    }

    mutating func keepFromGivingWay(_ parcel: Parcel) { details[parcel.slot]?.routes[Int(parcel.route)].spare = [] }

    /// A route has had its outcome. Whether it was the job's last.
    mutating func finish(_ slot: UInt32) -> Bool {
        details[slot]?.routesLeft -= 1
        if let known = details[slot], known.routesLeft > 0 { return false }
        remove(slot)
        return true
    }

    mutating func remove(_ slot: UInt32) {
        if details[slot]?.hasGivenWay == true, let way = ways[self[slot].seq] {
            ways[self[slot].seq] = way.slots > 1 ? (way.used, way.slots - 1) : nil
        }
        details[slot] = nil
        free.append(slot)
        // After a great wave the memory is given back.
        if count == 0 { (places, free, details, ways) = ([], [], [:], [:]) }
    }
}

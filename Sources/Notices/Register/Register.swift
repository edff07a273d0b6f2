public import CivilTime

/// Everyone Belfry knows, by number, under the policy in force: the fold of the log.
public struct Register {
    public private(set) var plan: Plan
    public private(set) var people: [Person] = []
    /// By number.
    public private(set) var names: Roster
    /// The policy in force while it has not been applied to everybody.
    public internal(set) var adoption: Adoption?
    /// What of a policy adopted in pieces is done to somebody when they are looked at next.
    var moving: Moving?
    var isTurned = false

    /// - Parameters:
    ///   - share: whose people these are; numbers are its own.
    ///   - holdsAll: whether everybody of theirs comes in the order of the log.
    public init(
        _ plan: Plan, hashingBy hash: KeyHash = .ofThisProcess, of share: Share = .whole, holdsAll: Bool = true
    ) {
        self.plan = plan
        names = Roster(hashedBy: hash, of: share, holdsAll: holdsAll)
    }

    /// As it was kept in a snapshot.
    public init(_ plan: Plan, names: Roster, people: [Person], adoption: Adoption? = nil) {
        precondition(names.count == people.count, "\(names.count) names of \(people.count) people")
        self.plan = plan
        self.names = names
        self.people = people
        self.adoption = adoption
    }

    /// Everybody of all the shares of a log's people that were folded up to one place, under the numbers that the log gives them.
    ///
    /// The plan is the first share's. Preferences of the others stay what they are, as if the policy had been read again: what
    /// they come to is the same, and whoever changes them next gets some of this plan's.
    public init(merging shares: [Register]) {
        precondition(shares.allSatisfy { $0.moving == nil }, "a share is in the middle of adopting a policy")
        plan = shares[0].plan
        names = Roster(merging: shares.map(\.names))
        people.reserveCapacity(names.count)
        for person in names.indices { people.append(shares[person % shares.count].people[person / shares.count]) }
        adoption = shares[0].adoption
        adoption?.except = Set(
            shares.flatMap { share in share.adoption?.except.map { share.names.person($0) } ?? [] })
    }

    public func number(of user: String) -> Int? { names.number(of: user).map { Int($0) } }

    /// Mutating, though it changes nothing: the register is then handed over where it lies, and not copied for the call.
    public mutating func name(of number: Int) -> String { names[number] }

    public subscript(number: Int) -> Person {
        let person = people[number]
        if case .some = moving { moveAlong(person) }
        return person
    }

    /// Somebody of whom nothing is known.
    public var someone: Person {
        Person(
            zone: .utc, preferences: plan.rules.preferences(differing: .emptyObject, saidYes: false),
            at: .distantPast)
    }

    /// A person's number; someone new is enrolled with the policy's default zone (SPEC §2).
    /// - Parameter guess: the number they probably have: cheaper to try than to look for it.
    public mutating func number(enrolling user: String, at: Instant, probably guess: Int? = nil) -> Int {
        if let guess, names.holds(user, at: guess) { return guess }
        let (number, isNew) = names.numberOrAdd(user)
        guard isNew else { return Int(number) }
        let zone = plan.zone(plan.policy.defaultZone.text) ?? .utc
        let preferences = plan.rules.preferences(differing: .emptyObject, saidYes: false)
        let person = Person(zone: zone, preferences: preferences, at: at)
        if isTurned { person.flags.insert(.turned) }
        people.append(person)
        return Int(number)
    }

    /// Puts somebody back as they were before something was tried.
    public mutating func restore(_ person: Person, at number: Int) { people[number] = person }

    /// Takes over a copy of one of another register's people, to try something out on; nobody where they are unknown there. All are
    /// taken over before anybody is enrolled.
    public mutating func takeCopy(of user: String, from other: Register) {
        guard self.number(of: user) == nil, let number = other.number(of: user) else { return }
        let place = self.number(enrolling: user, at: other.people[number].enrolledAt)
        people[place] = other[number].copy()
        guard let seq = other.adoption?.seq else { return }
        if adoption == nil { adoption = Adoption(of: seq, through: 0, count: 0) }
        adoption?.count = people.count
        if !other.isToBeApplied(to: number) { adoption?.except.insert(place) }
    }

    /// Takes in an event of the log: nothing is decided, and nothing it may hold makes this fail.
    ///
    /// Wakes are not worked out: whoever goes on from here asks for them once (`earliestWake`).
    /// - Parameter number: the number that whom it is about probably has.
    public mutating func fold(_ event: Event, about number: Int? = nil) {
        if case .policyAdopted(let adopted) = event.payload {
            if let policy = try? Policy(recorded: adopted.policy.text) { adopt(policy, at: event.at) }
            return
        }
        guard let user = event.user else {
            if case .policyApplied(let applied) = event.payload { fold(applied) }
            return
        }
        let number = self.number(enrolling: user, at: event.at, probably: number)
        let person = self[number]
        if adoption != nil { noteTold(of: number) }
        person.fold(event.payload, on: Occasion(event.seq, event.at, user: user, plan))
        person.settledThrough = max(person.settledThrough, event.at)
        if person.isErased { forgetName(of: number) }
    }

    /// Somebody was erased: nobody is called so any more.
    public mutating func forgetName(of number: Int) { names.erase(number) }

    /// Has all that is known of some people fetched from memory at once, before they are folded into one after the other:
    /// they lie anywhere in it, and to wait for each by itself takes longer than all that is done with them.
    ///
    /// Mutating for the same reason as `name(of:)`.
    /// - Parameter persons: by the log's numbers; all are of this share.
    public mutating func fetch(_ persons: [Int?]) {
        people.withUnsafeBufferPointer { people in
            // What a step asks for the step before it has fetched.
            forEachKnown(of: persons) { number in
                names.fetchPlace(of: number)
                fetchSoon(people.baseAddress.map { $0 + number }, 8)
            }
            forEachKnown(of: persons) { number in
                names.fetchText(of: number)
                // To count a reference would be to wait for what is being fetched.
                Unmanaged.passUnretained(people[number])._withUnsafeGuaranteedRef { $0.fetch() }
            }
            forEachKnown(of: persons) { number in
                Unmanaged.passUnretained(people[number])._withUnsafeGuaranteedRef { $0.fetchDetails() }
            }
        }
    }

    @inline(__always)
    private func forEachKnown(of persons: [Int?], _ body: (Int) -> Void) {
        for case let person? in persons {
            let number = names.own(person)
            if number < people.count { body(number) }
        }
    }

    /// A tz database may know zones that it did not know before, also under the same name: whoever waited for one of those goes on.
    /// Returns whether anybody does.
    public func lookUpUnknownZones() -> Bool {
        var isAnyKnown = false
        for person in people where person.flags.contains(.zoneUnknown) {
            person.lookUpUnknownZone(plan)
            if !person.flags.contains(.zoneUnknown) { isAnyKnown = true }
        }
        return isAnyKnown
    }

    /// Zones of people that the tz database does not know, and how many live there: nobody there is told anything (`G6`).
    public var unknownZones: [String: Int] {
        people.reduce(into: [:]) { zones, person in
            guard person.flags.contains(.zoneUnknown), let zone = person.details.unknownZone else { return }
            zones[zone, default: 0] += 1
        }
    }

    /// Another policy is in force: everyone's preferences are read anew, and their kinds have other places.
    public mutating func adopt(_ policy: Policy, at: Instant) {
        for person in people where moving != nil { moveAlong(person) }
        adoption = nil
        let move = putInForce(policy, at)
        for person in people { person.move(move, plan) }
    }

    /// Returns what is to be done to everybody.
    mutating func putInForce(_ policy: Policy, _ at: Instant) -> Moving {
        let before = plan.rules
        let rules = Rulebook(policy, retiring: before)
        plan = plan.next(rules, adoptedAt: at)
        return Moving(places: before.kinds.map { rules.place(of: $0.name.text) ?? 0 }, at: at)
    }
}

extension Person {
    func move(_ move: Moving, _ plan: Plan) {
        settledThrough = max(settledThrough, move.at)
        rebase(onto: move.places, move.at, plan)
    }

    /// Moves what is remembered of kinds to their places in another rulebook.
    private func rebase(onto places: [Int], _ at: Instant, _ plan: Plan) {
        replaceMarks { $0.kind = UInt8(places[Int($0.kind)]) }
        if hasDetails {
            details.waiting.forEach { $0.notice = $0.notice.with(kind: places[$0.notice.kind]) }
            details.raised.forEach { $0 = $0.with(kind: places[$0.kind]) }
            for place in details.told.indices { details.told[place].kind = places[details.told[place].kind] }
            for place in details.snoozes.indices {
                details.snoozes[place].kind = places[details.snoozes[place].kind]
            }
        }
        refreshPreferences(at, plan)
    }
}

internal import Journal
internal import Notices

/// Which channels an event goes to: found by its person and its type, so that ten thousand who follow one person each cost
/// what one does.
struct EventRoutes {
    /// Those that follow everybody.
    private var general: [EventChannel.Key] = []
    private var ofPerson: [UInt32: [EventChannel.Key]] = [:]
    /// Of people whom the log has not met.
    private var awaited: [String: [EventChannel.Key]] = [:]
    /// The general ones by type, worked out once a type comes.
    private var ofType: [Int: [EventChannel.Key]] = [:]

    /// - Parameter number: the log's number of a person, as far as it has met them.
    init(_ keys: some Sequence<EventChannel.Key>, number: (String) -> UInt32?) {
        for key in keys {
            guard let user = key.filter.user else {
                general.append(key)
                continue
            }
            if let number = key.filter.number ?? number(user) {
                ofPerson[number, default: []].append(key)
            } else {
                awaited[user, default: []].append(key)
            }
        }
    }

    var isEmpty: Bool { general.isEmpty && ofPerson.isEmpty && awaited.isEmpty }

    /// The log has met somebody. Returns whether they were awaited.
    mutating func meet(_ id: () -> String?, number: UInt32) -> String? {
        guard !awaited.isEmpty, let user = id(), let keys = awaited.removeValue(forKey: user) else { return nil }
        ofPerson[number, default: []] += keys
        return user
    }

    /// The log has erased somebody. Whoever followed them by their id awaits the next of it; returns those ids.
    mutating func part(with number: UInt32) -> [String] {
        guard let keys = ofPerson[number] else { return [] }
        ofPerson[number] = keys.filter { $0.filter.sought == nil }
        let sought = Dictionary(grouping: keys.filter { $0.filter.sought != nil }) { $0.filter.sought ?? "" }
        awaited.merge(sought) { $0 + $1 }
        return Array(sought.keys)
    }

    mutating func channels(of event: RawEvent) -> [EventChannel.Key] {
        let type = event.typeNumber
        var keys = ofType[type] ?? []
        if ofType[type] == nil {
            keys = general.filter { $0.filter.wants(type: type) }
            ofType[type] = keys
        }
        if let person = event.person, let own = ofPerson[person] { keys += own.filter { $0.filter.wants(type: type) } }
        return keys
    }
}

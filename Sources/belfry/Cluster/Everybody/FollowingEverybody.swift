import Console
import Journal
import Notices
import Worker

/// The events of all partitions, where several workers own them: each partition's in its order, from whoever owns it (`V5`).
extension WorkerService {
    func followEverybody(
        _ order: EventsOrder, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void
    ) {
        questions.take(asker) { [self] in
            do throws(Refusal) {
                var durable = [UInt64](repeating: 0, count: partitions.count)
                for head in try gather(HeadParts(), over: partitions, asker).flatMap(\.self) {
                    durable[head.partition ?? 0] = head.seq
                }
                if let problem = order.problem(durable) { return reply(.refused(problem)) }
                let ends = order.ends(durable)
                let starts = try starts(order, durable, ends, asker)
                let streams = try streams(order, from: starts, ends)
                reply(
                    .stream(
                        BodyStream(
                            MergedEvents(
                                streams, after: starts, isServerSent: order.isServerSent, follows: order.follows,
                                limit: order.limit), isServerSent: order.isServerSent)))
            } catch {
                reply(.unable(error.inability))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func starts(
        _ order: EventsOrder, _ durable: [UInt64], _ ends: [UInt64], _ asker: Asker
    ) throws(Refusal) -> [UInt64] {
        guard let backlog = order.backlog else {
            return order.afterEach ?? (order.follows ? durable : durable.map { _ in 0 })
        }
        // Each gives its share: which of them are the last of all is known only when they have been read.
        let share = (backlog + durable.count - 1) / durable.count
        var starts = ends
        let question = BacklogParts(share: share, types: order.types, through: order.beforeEach == nil ? nil : ends)
        for part in try gather(question, over: partitions, asker) {
            for (partition, seq) in part where partitions.contains(partition) {
                starts[partition] = min(seq, ends[partition])
            }
        }
        return starts
    }

    private func streams(
        _ order: EventsOrder, from starts: [UInt64], _ ends: [UInt64]
    ) throws(Refusal) -> [PartitionEvents] {
        var (streams, elsewhere): ([Int: PartitionEvents], [String: [Int]]) = ([:], [:])
        for partition in partitions {
            if let log = town.log(partition) {
                streams[partition] = PartitionEvents(
                    log.hub.follow(
                        EventFilter(named: order.types), as: .lines, after: starts[partition],
                        through: order.follows ? nil : ends[partition]))
            } else if let url = neighbours?.url(ofOwnerOf: partition) {
                elsewhere[url, default: []].append(partition)
            } else {
                for stream in streams.values { stream.close() }
                throw .unable(.noOwner(partition))
            }
        }
        for (url, theirs) in elsewhere {
            guard let neighbours else { continue }
            let wanted = EventsWanted(
                types: order.types,
                through: order.follows
                    ? nil : Dictionary(uniqueKeysWithValues: theirs.map { ($0, ends[$0]) }))
            let others = EventsOfOthers(
                neighbours, at: url, wanted, after: Dictionary(uniqueKeysWithValues: theirs.map { ($0, starts[$0]) }))
            for partition in theirs { streams[partition] = others.events(of: partition) }
        }
        return partitions.compactMap { streams[$0] }
    }
}

extension EventsOrder {
    /// The same of one log, which has one number; none where it names more than one event.
    func ofOneLog() throws(FieldError) -> EventsOrder {
        if beforeEach != nil {
            throw FieldError(path: "before", "it names an event of each partition, and one log is read; give to")
        }
        guard let afterEach else { return self }
        guard afterEach.count == 1 else {
            throw FieldError(path: "after", "it names an event of each partition, and one log is read; give from")
        }
        var order = self
        (order.after, order.afterEach) = (afterEach[0], nil)
        return order
    }

    /// Why nothing can be read behind, or in front of, the events that it names.
    func problem(_ durable: [UInt64]) -> String? {
        for (name, cursor) in [("after", afterEach), ("before", beforeEach)] {
            if let cursor, cursor.count != durable.count {
                return "\(name): it names \(cursor.count) partitions, and there are \(durable.count)"
            }
        }
        guard let afterEach else { return nil }
        return zip(afterEach, durable).first { $0 > $1 }.map { StreamDesk.ends(at: $1) }
    }

    /// The last event of each partition that is wanted, where it does not go on with them.
    func ends(_ durable: [UInt64]) -> [UInt64] {
        guard let beforeEach else { return durable }
        return zip(beforeEach, durable).map { min($0 - min($0, 1), $1) }
    }
}

extension EventFilter {
    /// - Parameter names: of types; none for all.
    init(named names: [String], user: String? = nil) {
        let wanted = Set(names)
        let types = wanted.isEmpty ? [] : Payload.all.map(\.type).filter { wanted.contains($0.text) }.map(\.number)
        self.init(types: Set(types), user: user)
    }
}

public import CivilTime
internal import Journal
public import Notices

/// Which figures are asked for.
public struct NumbersQuery: Sendable, Equatable {
    public enum Grouping: String, Sendable, CaseIterable { case day, kind, channel }

    /// Days of UTC, both included; `nil` for as far as the log goes.
    public var from: LocalDate?
    public var to: LocalDate?
    public var grouping: Grouping
    /// Of one kind alone.
    public var kind: String?

    public init(from: LocalDate? = nil, to: LocalDate? = nil, by grouping: Grouping = .day, kind: String? = nil) {
        (self.from, self.to, self.grouping, self.kind) = (from, to, grouping, kind)
    }
}

/// The figures that were asked for.
public struct NumbersReport: Sendable, Equatable {
    public struct Row: Sendable, Equatable {
        /// The day, the kind or the channel.
        public var name: String
        public var cell: NumberCell
    }

    public var from: LocalDate?
    public var to: LocalDate?
    public var grouping: NumbersQuery.Grouping
    /// Days in order, kinds and channels too. Days on which nothing was counted are left out.
    public var rows: [Row]
    /// As of the end of the last day asked for.
    public var use: UseCounts
    /// The last event that is counted.
    public var throughSeq: UInt64
}

extension Figures {
    /// Why there are no figures of the kind that was asked for: neither the log nor its policy has it. A name that was mistyped
    /// must not look like a kind that nobody was sent.
    public func problem(with query: NumbersQuery) -> FieldError? {
        let known = Set(kinds).union(policyKinds).sorted()
        // A file of figures from before these were kept says nothing of the policy.
        guard let kind = query.kind, !policyKinds.isEmpty, !known.contains(kind) else { return nil }
        let nearest = NearestName.of(kind, among: known).map { "; did you mean \($0)?" } ?? ""
        return FieldError(
            path: "kind",
            "\(quoted(kind)) is not a kind of this log or its policy (known here: \(known.joined(separator: ", ")))\(nearest)"
        )
    }

    public func report(_ query: NumbersQuery) -> NumbersReport {
        let kind = query.kind.map { kindPlaces[$0] }
        let from = query.from?.daysSince1970 ?? .min
        let to = query.to?.daysSince1970 ?? .max
        var rows: [Int: NumberCell] = [:]
        for (key, cell) in cells where key.day >= from && key.day <= to {
            if let kind, kind != key.kind { continue }
            let place: Int
            switch query.grouping {
            case .day: place = Int(key.day)
            case .kind: place = Int(key.kind)
            case .channel: place = Int(key.channel)
            }
            rows[place, default: NumberCell()].add(key.counted(query.grouping, cell))
        }
        let days = days(query)
        return NumbersReport(
            from: days?.lowerBound ?? query.from, to: days?.upperBound ?? query.to, grouping: query.grouping,
            rows: named(rows, query.grouping), use: use(atEndOf: to), throughSeq: head.lastSeq)
    }

    /// The stretch that is told of: as it was asked for, and otherwise all of the log's. `nil` for a log that holds nothing.
    private func days(_ query: NumbersQuery) -> ClosedRange<LocalDate>? {
        guard today > .min else { return nil }
        let last = LocalDate(daysSince1970: today)
        let first = LocalDate(
            daysSince1970: min(today, cells.keys.lazy.map(\.day).min() ?? today, uses.first?.day ?? today))
        let from = query.from ?? min(first, query.to ?? first)
        return from...max(from, query.to ?? last)
    }

    private func named(_ rows: [Int: NumberCell], _ grouping: NumbersQuery.Grouping) -> [NumbersReport.Row] {
        switch grouping {
        case .day:
            rows.sorted { $0.key < $1.key }.map {
                .init(name: "\(LocalDate(daysSince1970: Int32($0.key)))", cell: $0.value)
            }
        case .kind:
            rows.map { NumbersReport.Row(name: kinds[$0.key], cell: $0.value) }.sorted { $0.name < $1.name }
        case .channel:
            rows.sorted { $0.key < $1.key }.map {
                .init(name: Channel(rawValue: $0.key)?.name ?? Self.anyChannel, cell: $0.value)
            }
        }
    }

    /// What is about a notice and no channel of its own.
    public static let anyChannel = "any"
}

extension Figures.Key {
    /// A job on two channels is one job, unless channels are told apart.
    fileprivate func counted(_ grouping: NumbersQuery.Grouping, _ cell: NumberCell) -> NumberCell {
        guard channel != 0, grouping != .channel else { return cell }
        var cell = cell
        cell[.emitted] = 0
        return cell
    }
}

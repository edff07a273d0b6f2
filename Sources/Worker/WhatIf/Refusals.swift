internal import Notices

/// Facts that the other policy would not have taken, counted by what they are and what they ask for.
struct Refusals: Sendable {
    private struct Subject: Hashable {
        var type: String
        var kind: String
    }

    private var groups: [Subject: WhatIfReport.Refused] = [:]

    /// - Parameter log: which of several it is in.
    mutating func count(_ fact: Event, in log: Int?, _ problem: FieldError) {
        var kind = ""
        if case .noticeRequested(let request) = fact.payload { kind = request.kind.text }
        let subject = Subject(type: fact.payload.type.text, kind: kind)
        groups[
            subject,
            default: WhatIfReport.Refused(
                type: subject.type, kind: kind.isEmpty ? nil : kind, first: fact.seq, problem: "\(problem)", count: 0,
                log: log)
        ].count += 1
    }

    /// Those of other people, or of another log. The first of a group is the one with the lowest number, of the first log that has any.
    mutating func add(_ other: Refusals) {
        for (subject, refused) in other.groups {
            guard let known = groups[subject] else {
                groups[subject] = refused
                continue
            }
            groups[subject] = refused.comesFirst(known) ? refused : known
            groups[subject]?.count = known.count + refused.count
        }
    }

    /// The most frequent first.
    var counted: [WhatIfReport.Refused] {
        groups.values.sorted { $0.count == $1.count ? $0.comesFirst($1) : $0.count > $1.count }
    }
}

extension WhatIfReport.Refused {
    fileprivate func comesFirst(_ other: Self) -> Bool { (log ?? 0, first) < (other.log ?? 0, other.first) }
}

internal import Notices

/// Facts that the other policy would not have taken, counted by what they are and what they ask for.
struct Refusals {
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

    /// The most frequent first.
    var counted: [WhatIfReport.Refused] {
        groups.values.sorted { ($1.count, $0.first) < ($0.count, $1.first) }
    }
}

import CivilTime
import Console
import Notices
import Worker

/// What the next hours hold for the people of some partitions.
struct AgendaParts: PartedQuestion {
    static let word = "agenda"
    let query: AgendaSurvey.Query

    init(_ query: AgendaSurvey.Query) { self.query = query }

    // MARK: The question

    var members: [JSONValue.Member] {
        [
            .init("from", .number("\(query.from.milliseconds)")), .init("hours", .number("\(query.hours)")),
            .init("step_minutes", .number("\(query.stepMinutes)")),
            .init("kind", query.kind.map { .string($0) } ?? .null),
        ]
    }

    init?(_ question: JSONValue) {
        guard let from = question["from"]?.integer, let hours = question["hours"]?.integer,
            let step = question["step_minutes"]?.integer, AgendaSurvey.Query.hoursAllowed.contains(hours),
            AgendaSurvey.Query.stepsAllowed.contains(step)
        else { return nil }
        query = .init(
            from: Instant(milliseconds: Int64(from)), hours: hours, stepMinutes: step, kind: question["kind"]?.string)
        guard query.bucketCount <= AgendaSurvey.Query.bucketsMax else { return nil }
    }

    // MARK: A part

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> AgendaSurvey {
        var whole = AgendaSurvey(query)
        for log in logs {
            var survey = AgendaSurvey(query)
            while !survey.isDone {
                if asker.isGone { throw .unable(.abandoned) }
                let before = survey
                survey = try waited { log.worker.survey(before, reply: $0) }.get()
            }
            whole.add(survey)
        }
        return whole
    }

    static func document(of survey: AgendaSurvey) -> JSONValue {
        let buckets = survey.buckets.map { bucket in
            JSONValue.object([
                .init("people", .number("\(bucket.people)")),
                .init("kinds", .object(bucket.kinds.map { .init($0.key, .number("\($0.value)")) })),
            ])
        }
        let next = survey.next.map { coming in
            JSONValue.object([
                .init("at", .number("\(coming.at.milliseconds)")), .init("user", .string(coming.user)),
                .init("timezone", .string(coming.zone)), .init("kind", .string(coming.kind)),
                .init("subject", coming.subject.map { .string($0) } ?? .null),
                .init("cause", coming.cause.map { .string($0.rawValue) } ?? .null),
                .init("notice", coming.notice.map { .string($0) } ?? .null),
            ])
        }
        return .object([.init("buckets", .array(buckets)), .init("next", .array(next))])
    }

    func part(_ document: JSONValue) -> AgendaSurvey? {
        var buckets = AgendaSurvey(query).buckets
        guard let told = document["buckets"]?.elements, told.count == buckets.count,
            let coming = document["next"]?.elements
        else { return nil }
        for (place, bucket) in told.enumerated() {
            guard let people = bucket["people"]?.integer, let kinds = bucket["kinds"]?.members else { return nil }
            buckets[place].people = people
            for kind in kinds {
                guard let count = kind.value.integer else { return nil }
                buckets[place].kinds[kind.key] = count
            }
        }
        let next = coming.compactMap { coming -> AgendaSurvey.Coming? in
            guard let at = coming["at"]?.integer, let user = coming["user"]?.string,
                let zone = coming["timezone"]?.string, let kind = coming["kind"]?.string
            else { return nil }
            return .init(
                at: Instant(milliseconds: Int64(at)), user: user, zone: zone, kind: kind,
                subject: coming["subject"]?.string,
                cause: coming["cause"]?.string.flatMap { DueMatter.Cause.Name(rawValue: $0) },
                notice: coming["notice"]?.string)
        }
        guard next.count == coming.count else { return nil }
        return AgendaSurvey(query, found: buckets, next: next)
    }
}

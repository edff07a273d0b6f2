internal import CivilTime
internal import Notices

/// How the worker is. Whoever watches a machine has no token and is told whether it is well, and nothing else of it.
enum HealthRoutes {
    static let all: [Route] = [
        Route(atOnce: "/health", .anyone, "how the worker is") { service, call in
            call.operator == nil ? service.health().briefResponse : service.health().response
        },
        Route(atOnce: "/ready", .anyone, "whether requests are to be sent here") { service, call in
            call.operator == nil ? service.health().briefReadiness : service.health().readiness
        },
    ]
}

extension Health.Carrier {
    fileprivate var json: JSONValue {
        .object([
            .init("name", .string(name)), .init("waiting", .number("\(waiting)")), .init("broken", .bool(isBroken)),
            .init("problem", problem.map { .string($0) } ?? .null),
            .init("next_try_at", nextTryAt.map { .string("\($0)") } ?? .null),
        ])
    }
}

extension Health.LogCheck {
    fileprivate var json: JSONValue {
        let progress = underway.map { progress in
            JSONValue.object([
                .init("bytes", .number("\(progress.bytes)")), .init("of_bytes", .number("\(progress.ofBytes)")),
            ])
        }
        return .object([
            .init("underway", progress ?? .null), .init("whole_at", wholeAt.map { .string("\($0)") } ?? .null),
        ])
    }
}

extension Health {
    /// `GET /health`: 200 for as long as the process answers, with what there is to know.
    var response: HTTPResponse {
        .json(
            200,
            .object(
                members + (partitions.map { [.init("partitions", .number("\($0)"))] } ?? [])
                    + (unusableCopies.map { [.init("unusable_copies", Self.json($0))] } ?? [])))
    }

    private static func json(_ unusableCopies: [Int: String]) -> JSONValue {
        .array(
            unusableCopies.sorted { $0.key < $1.key }.map { partition, words in
                .object([.init("partition", .number("\(partition)")), .init("problem", .string(words))])
            })
    }

    private var members: [JSONValue.Member] {
        [
            .init("status", .string(status)),
            .init("why_not", whyNotReady.map { .string($0) } ?? .null),
            .init("version", .string(version)),
            .init("last_seq", .number("\(lastSeq)")),
            .init("recorded_at", recordedAt.map { .string("\($0)") } ?? .null),
            .init("people", .number("\(people)")),
            .init("waiting_jobs", .number("\(waitingJobs)")),
            .init("uptime_seconds", .number("\(uptimeSeconds)")),
            .init("carriers", .array(carriers.map(\.json))),
            .init("log_check", logCheck.json),
            .init(
                "troubles",
                .array(troubles.map { .object([.init("what", .string($0.what)), .init("words", .string($0.words))]) })),
        ]
    }

    /// What everybody may know of it.
    var briefResponse: HTTPResponse { .json(200, .object([.init("status", .string(status))])) }

    private var status: String { whyNotReady == nil ? "ready" : "not_ready" }

    /// What everybody may know of it: a reason may name files and addresses.
    var briefReadiness: HTTPResponse {
        let isReady = whyNotReady == nil
        return .json(
            isReady ? 200 : 503, .object([.init("ready", .bool(isReady))]), isReady ? [] : [("Retry-After", "1")])
    }

    /// `GET /ready`: whether requests are to be sent here.
    var readiness: HTTPResponse {
        guard let whyNotReady else { return .json(200, .object([.init("ready", .bool(true))])) }
        return .json(
            503, .object([.init("ready", .bool(false)), .init("why_not", .string(whyNotReady))]),
            [("Retry-After", "1")])
    }
}

import Console
import Delivery
import Notices

/// What the jobs at some places are called, and whose they are: asked by the worker that a provider's report about them came to.
struct JobParts: PartedQuestion {
    static let word = "jobs"
    let places: [JobPlace]

    init(_ places: [JobPlace]) { self.places = places }

    var members: [JSONValue.Member] {
        [.init("places", .array(places.map { .object($0.members) }))]
    }

    init?(_ question: JSONValue) {
        guard let places = question["places"]?.elements?.map({ JobPlace(told: $0) }), !places.contains(nil) else {
            return nil
        }
        self.init(places.compactMap(\.self))
    }

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> [JobPlace: ReportedJob] {
        do {
            return try ReportedJobs(town: service.town, neighbours: nil).here(places)
        } catch {
            throw .unable(.failed("\(error)"))
        }
    }

    static func document(of jobs: [JobPlace: ReportedJob]) -> JSONValue {
        .object([
            .init(
                "jobs",
                .array(
                    jobs.map { place, job in
                        .object(
                            place.members + [
                                JSONValue.Member("job", .string(job.name.text)),
                                JSONValue.Member("user", .string(job.user)),
                            ])
                    }))
        ])
    }

    func part(_ document: JSONValue) -> [JobPlace: ReportedJob]? {
        guard let rows = document["jobs"]?.elements else { return nil }
        var jobs: [JobPlace: ReportedJob] = [:]
        for row in rows {
            guard let place = JobPlace(told: row), let name = row["job"]?.string, let user = row["user"]?.string else {
                return nil
            }
            jobs[place] = ReportedJob(name: NoticeName(name), user: user)
        }
        return jobs
    }
}

extension JobPlace {
    fileprivate var members: [JSONValue.Member] {
        [.init("position", .number("\(position)")), .init("seq", .number("\(seq)"))]
    }

    fileprivate init?(told: JSONValue) {
        guard let position = told["position"]?.natural, let seq = told["seq"]?.natural else {
            return nil
        }
        self.init(position: position, seq: seq)
    }
}

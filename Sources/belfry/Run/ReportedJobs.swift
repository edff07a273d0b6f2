import Delivery
import Dispatch
import Journal
import Notices

/// Where the jobs are found that providers' reports name by their places: in the logs that are here, or at the workers that have
/// the others.
///
/// In a cluster a report may come to any worker, whoever sent the job.
struct ReportedJobs: Sendable {
    let town: Town
    /// `nil` where this is the only worker.
    let neighbours: Neighbours?

    /// The jobs of a commit of a log that is here; `JobElsewhere` where the log is not.
    func commit(at position: UInt64) throws -> [Event] {
        do throws(JournalError) { return try town.jobs(at: position) } catch {
            if case .lost(let words) = error { throw JobElsewhere(words) }
            // No commit begins there, perhaps because an older backup was put back: that will not change.
            if case .damaged = error { return [] }
            throw error
        }
    }

    /// Those at places in logs that are here. A place that holds no job is left out.
    func here(_ places: [JobPlace]) throws -> [JobPlace: ReportedJob] {
        var found: [JobPlace: ReportedJob] = [:]
        for place in places {
            if let job = ReportedJob(at: place, in: try commit(at: place.position)) { found[place] = job }
        }
        return found
    }

    /// Those at places in logs of other workers; `nil` where one of these cannot say.
    func elsewhere(_ places: [JobPlace], _ answer: @escaping @Sendable ([JobPlace: ReportedJob]?) -> Void) {
        guard let neighbours else { return answer(nil) }
        let groups = Dictionary(grouping: places) { TownPlace.inner($0.position).log }
        let gathering = Gathering<[JobPlace: ReportedJob]>(groups.count, whole: [:]) { answer($0) }
        for (partition, members) in groups {
            ask(members, of: partition, since: .now(), neighbours) { found in
                guard let found else { return gathering.fail() }
                gathering.add { $0.merge(found) { known, _ in known } }
            }
        }
    }

    private func ask(
        _ places: [JobPlace], of partition: Int, since start: DispatchTime, _ neighbours: Neighbours,
        _ answer: @escaping @Sendable ([JobPlace: ReportedJob]?) -> Void
    ) {
        neighbours.find(partition, in: town, isPassedOn: false) { whereabouts in
            switch whereabouts {
            case .nobody: answer(nil)
            // It has just come here.
            case .here: answer(try? here(places))
            case .elsewhere(let url):
                let question = JobParts(places)
                neighbours.ask(question.document(of: [partition]), of: url) { result in
                    if let document = try? result.get() { return answer(question.part(document)) }
                    // It has just gone to another, perhaps.
                    let isAskedAgain = neighbours.lookAgain(since: start) {
                        ask(places, of: partition, since: start, neighbours, answer)
                    }
                    if !isAskedAgain { answer(nil) }
                }
            }
        }
    }
}

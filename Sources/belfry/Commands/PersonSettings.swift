import Console
import Notices
import Worker

extension PersonAnswers {
    /// The settings page as a document (`V3`), as of the end of the log.
    func settings() throws(Unanswered) -> PersonAnswer {
        var platforms: [String: Platform] = [:]
        let (biography, now) = try source.tell(until: .end, zones) { event, _ in
            if case .deviceRegistered(let device) = event.payload { platforms[device.device.text] = device.platform }
        }
        guard let person = biography.settled(), let last = biography.last else { throw .notKnownThen(source.user) }
        // The log ends with its last event; the page is looked at now.
        let settings = Settings(
            of: source.user, person, biography.plan, seq: last.seq, at: max(now, clock()), platforms: platforms,
            analyser: analyser)
        let document = settings.json
        return PersonAnswer(lines: [document.text], documents: [document])
    }
}

internal import Notices

/// P19: several notices share a job where their kind allows it; a digest or summary speaks for what was gathered.
extension JobMatter {
    var bundlesFinding: Finding {
        guard !isSnooze else { return .notAsked }
        if isGathering {
            if let stranger = carried.first(where: { $0.intoKind == nil }) {
                return .broken("\(stranger.id.base) is told in \(kind.name) without having been gathered")
            }
            // Another policy may have another digest for it, or call the same otherwise.
            let astray = carried.first { $0.gathering != kind.gathering && policy.teller(of: $0.gathering) != nil }
            return .unless(
                astray.map { "\($0.id.base), gathered for \($0.intoKind ?? "nothing"), is told in \(kind.name)" })
        }
        if let stranger = carried.first ?? own.first(where: { $0.kind != kind.name }) {
            return .broken("\(stranger.id.base) is in a job of another kind, \(kind.name)")
        }
        if let early = own.first(where: { policy.teller(of: $0.gathering) != nil }) {
            return .broken("\(early.id.base) was gathered for a digest and goes out by itself")
        }
        guard own.count > 1 else { return .notAsked }
        return kind.isBundling
            ? .kept : .broken("\(own.count) notices share the job, and \(kind.name) does not bundle")
    }

    /// S4: asked for after a first session, once; after a "not now" only after a later session; after an answer never.
    var promptsFinding: Finding {
        guard kind.cause == .session else { return .notAsked }
        if isSnooze { return repeatedPromptFinding }
        let sessions = person.progress.sessions
        if sessions == 0 { return .broken("the person is asked for permission before any session was completed") }
        if let answer = person.reach.permission, answer != .notNow {
            return .broken("the person is asked for permission, but had \(answer.name) it")
        }
        if sessions <= person.sessionsAtNotNow {
            return .broken("the person is asked for permission again without a session since they said not now")
        }
        if let asked = person.sessionsAtPrompt, person.reach.permission == nil || asked > person.sessionsAtNotNow {
            return .broken("the person is asked for permission a second time without having answered")
        }
        return .kept
    }

    /// A prompt that comes again asks who has not answered since.
    private var repeatedPromptFinding: Finding {
        guard let answer = person.reach.permission else { return .kept }
        guard answer == .notNow else {
            return .broken("the person is asked for permission once more, but had \(answer.name) it")
        }
        guard let asked = person.sessionsAtPrompt, asked <= person.sessionsAtNotNow else { return .kept }
        return .broken("the person is asked for permission once more, though they said not now")
    }
}

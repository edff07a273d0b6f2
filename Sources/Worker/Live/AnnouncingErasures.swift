internal import Journal
internal import Notices

extension WorkerCore {
    /// Tells of those whom retention erases with the commit in the making, before it is written.
    func announceErasures() throws(JournalError) {
        guard let willErase, decider.plan.policy.retention != nil else { return }
        let users = draft.erasedByRetention
        if !users.isEmpty { try willErase(users) }
    }
}

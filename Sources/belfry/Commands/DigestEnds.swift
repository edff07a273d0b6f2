import CivilTime
import Notices
import Worker

/// The last end of a digest that one notice was gathered for: a rule that stops a digest for good stops what it gathered (D2).
struct DigestEnds {
    private struct End {
        var at: Instant
        var digest: NoticeName
        var reason: Reason
        var explanation: Explanation?
    }

    private let name: String
    private var last: End?

    init(of name: String) { self.name = name }

    /// To be asked before an event is told of.
    ///
    /// - Parameter explanation: the rules as a digest was asked them, where they ended it.
    mutating func note(
        _ event: Event, _ biography: Biography, explanation: (_ digest: String) -> Explanation?
    ) {
        guard case .noticeDropped(let dropped) = event.payload, dropped.notice.text != name,
            let into = biography.person?.details.waiting.first(where: { $0.notice.name == name })?.gatheredInto,
            NoticeName(into).kind == dropped.kind.text
        else { return }
        last = End(
            at: event.at, digest: dropped.notice, reason: dropped.reason,
            explanation: explanation(dropped.notice.text))
    }

    /// What is to be said of a drop that no rule of the notice's own brought about, and the rules that did.
    func told(_ event: Event) -> (remark: String, explanation: Explanation?)? {
        guard let last, last.at == event.at, case .noticeDropped(let dropped) = event.payload,
            dropped.notice.text == name, dropped.reason == last.reason
        else { return nil }
        return (" (\(last.digest) was dropped for that and took along what it had gathered, D2)", last.explanation)
    }

    /// Why a digest came to its end that no rule stopped: one that was held, and then had nothing left to tell.
    static func remark(ending event: Event, _ biography: Biography) -> String? {
        guard case .noticeDropped(let dropped) = event.payload,
            biography.plan.policy.kinds.contains(where: { $0.name == dropped.kind && $0.digest != nil })
        else { return nil }
        return switch dropped.reason {
        case .settled: " (nothing was left for it to tell, D4)"
        case .kindOff: " (what it tells of its own is off, and nothing that it gathered was left, D5)"
        default: nil
        }
    }
}

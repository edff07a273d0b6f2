import Console
import Delivery
import Journal
import Notices
import Worker

/// Whoever texts START takes back their STOP, and nothing else (`N6`): texts that they had switched off themselves stay off, and
/// so do those to another number.
struct Restarting {
    /// Whether texts are off because of a STOP, and nothing was said of them since.
    private var isStopped = false

    /// - Parameter isOn: whether texts were on before this event.
    mutating func hear(_ event: Payload, isOn: Bool) {
        if isOn { isStopped = false }
        switch event {
        case .unsubscribed(let word) where word.channel == .sms && word.kind == nil && word.how == .stop:
            if isOn { isStopped = true }
        case .preferencesChanged(let change):
            if JSONValue(parsing: change.patch.document.text)?["channels"] != nil { isStopped = false }
        case .presetApplied, .preferencesReset: isStopped = false
        // The number may be another: whoever has this one never stopped it.
        case .contactChanged(let change): if change.phone != .leftOut { isStopped = false }
        default: break
        }
    }

    /// What is to be recorded: a change of their preferences; nothing, where there is nothing to take back.
    static func fact(
        for restart: ReportDesk.Restart, at place: PersonPlace, in directory: String, _ world: World
    ) throws -> [Fact] {
        let source = StorySource(at: place, in: try LogReader(directory, on: world.disk), isWanted: { true })
        var restarting = Restarting()
        let (biography, _) = try source.tell(until: .end, try world.zones()) { event, biography in
            restarting.hear(event.payload, isOn: biography.person?.preferences.channels.contains(.sms) ?? false)
        }
        guard restarting.isStopped, biography.person?.preferences.channels.contains(.sms) == false else { return [] }
        var change = PreferencesChanged()
        change.patch = try PreferencesPatch(reading: #"{"channels":{"sms":true}}"#)
        return [Fact(user: restart.user, id: restart.id, payload: .preferencesChanged(change))]
    }
}

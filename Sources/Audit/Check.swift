/// One thing the audit proves. The name is what reports call it; the number is its place among the tallies.
public enum Check: Int, CaseIterable, Sendable {
    // The log itself
    case numbers
    case clock
    case factIDs
    case erasure
    case retention
    case jobIDs
    case names
    case words

    // A notice's way
    case raised
    case endings
    case waiting
    case holds
    case drops
    case room
    case slots
    case slotTimes
    case slotDays
    case goalSlots
    case skips
    case superseded
    case bundles

    // The rules, in the order of SPEC §6
    case kinds
    case zones
    case expired
    case settled
    case consent
    case masterSwitch
    case kindSwitch
    case channels
    case everyChannel
    case ways
    case viewing
    case quietHours
    case schedule
    case digestMode
    case cooldown
    case overload
    case dailyCap
    case inApp
    case counts
    case carried

    // What is asked of single kinds
    case snoozes
    case sessions
    case phoneCodes
    case prompts
    case tests
    case factsTell
    case badge

    public var name: String {
        switch self {
        case .numbers: "numbers"
        case .clock: "clock"
        case .factIDs: "fact_ids"
        case .erasure: "erasure"
        case .retention: "retention"
        case .jobIDs: "job_ids"
        case .names: "names"
        case .words: "words"
        case .raised: "raised"
        case .endings: "endings"
        case .waiting: "waiting"
        case .holds: "holds"
        case .drops: "drops"
        case .room: "room"
        case .slots: "slots"
        case .slotTimes: "slot_times"
        case .slotDays: "slot_days"
        case .goalSlots: "goal_slots"
        case .skips: "skips"
        case .superseded: "superseded"
        case .bundles: "bundles"
        case .kinds: "kinds"
        case .zones: "zones"
        case .expired: "expired"
        case .settled: "settled"
        case .consent: "consent"
        case .masterSwitch: "master_switch"
        case .kindSwitch: "kind_switch"
        case .channels: "channels"
        case .everyChannel: "every_channel"
        case .ways: "ways"
        case .viewing: "viewing"
        case .quietHours: "quiet_hours"
        case .schedule: "schedule"
        case .digestMode: "digest_mode"
        case .cooldown: "cooldown"
        case .overload: "overload"
        case .dailyCap: "daily_cap"
        case .inApp: "in_app"
        case .counts: "counts"
        case .carried: "carried"
        case .snoozes: "snoozes"
        case .sessions: "sessions"
        case .phoneCodes: "phone_codes"
        case .prompts: "prompts"
        case .tests: "tests"
        case .factsTell: "facts_tell"
        case .badge: "badge"
        }
    }

    /// The rule of the specification it stands for.
    public var rule: String {
        switch self {
        case .numbers: "§12"
        case .clock: "T7"
        case .factIDs: "§2"
        case .erasure: "E3"
        case .retention: "E1"
        case .jobIDs: "§11"
        case .names: "§12"
        case .words, .raised, .endings, .waiting: "P20"
        case .holds, .drops: "§6"
        case .room: "G11"
        case .slots: "T8"
        case .slotTimes, .skips: "C5"
        case .slotDays: "C1"
        case .goalSlots: "C6"
        case .superseded: "C4"
        case .bundles: "P19"
        case .kinds: "§1"
        case .zones: "G6"
        case .expired: "P1"
        case .settled: "P2"
        case .consent: "P3"
        case .masterSwitch: "P4"
        case .kindSwitch: "P5"
        case .channels, .everyChannel: "P6"
        case .ways: "N4"
        case .viewing: "P7"
        case .quietHours: "P8"
        case .schedule: "P9"
        case .digestMode: "P10"
        case .cooldown: "P11"
        case .overload: "P12"
        case .dailyCap: "P13"
        case .inApp: "P15"
        case .counts: "D6"
        case .carried: "§11"
        case .snoozes: "S1"
        case .sessions: "S3"
        case .phoneCodes: "N9"
        case .prompts: "S4"
        case .tests: "N8"
        case .factsTell: "C7"
        case .badge: "D8"
        }
    }

    /// What holds where nothing is reported.
    public var promise: String {
        switch self {
        case .numbers: "events are numbered in order"
        case .clock: "recorded time never goes backwards"
        case .factIDs: "no fact twice"
        case .erasure: "nothing comes after somebody was erased"
        case .retention: "people who left are erased when their policy says, and not before"
        case .jobIDs: "no job twice"
        case .names: "notices and jobs are named after what they are"
        case .words: "reasons are words that fit"
        case .raised: "decisions are about notices that were raised"
        case .endings: "no notice ends twice"
        case .waiting: "no notice is lost or left waiting past its time"
        case .holds: "holds last as long as their reason, and are recorded again only when they changed"
        case .drops: "what is dropped is dropped for the first reason that there is"
        case .room: "nothing is dropped for want of room while there is some"
        case .slots: "no slot twice"
        case .slotTimes: "no slot before its time or too late"
        case .slotDays: "no slot on a day or at a time that its schedule does not name"
        case .goalSlots: "a goal's slots are about a goal that is under way, and before its deadline as the kind says"
        case .skips: "skipped slots are counted in order"
        case .superseded: "no slot fires while the one before it waits"
        case .bundles: "several notices share a job only where their kind allows it"
        case .kinds: "jobs are of kinds that the policy names"
        case .zones: "nobody is reached in a zone that is not known"
        case .expired: "no job about what has expired"
        case .settled: "no job about what is settled"
        case .consent: "no job without consent"
        case .masterSwitch: "no job to the opted-out"
        case .kindSwitch: "no job of a kind that is off"
        case .channels: "only channels that were chosen and reach the person"
        case .everyChannel: "a job goes on every channel that was chosen and reaches the person"
        case .ways: "what gives way goes to channels that are on and were not used"
        case .viewing: "no job to someone looking at that conversation"
        case .quietHours: "no job in quiet hours"
        case .schedule: "no job outside the weekly schedule"
        case .digestMode: "nothing alone that belongs in a digest"
        case .cooldown: "no job in a cooldown"
        case .overload: "no more jobs in a while than is too many"
        case .dailyCap: "no job over the daily cap"
        case .counts:
            "a day's digest counts what was earned since the last, older days apart from its own, a week's what was done in it, and each what it lists"
        case .carried: "jobs say whom they are about, how much they matter, and until when they may be sent"
        case .inApp: "in the app when it is open, and only then"
        case .snoozes: "snoozes come when asked for, three times at most"
        case .sessions: "a derived session had its messages"
        case .phoneCodes: "a phone is verified by a right code, and locked after five that were not"
        case .prompts: "nobody is asked for permission too early or too often"
        case .factsTell: "what a fact tells of by itself is not asked for again that day"
        case .badge: "a badge counts what was not looked at"
        case .tests: "a test was asked for, says that it is one, and goes where the person can be reached"
        }
    }
}

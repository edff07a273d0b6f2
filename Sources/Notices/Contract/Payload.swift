/// Any event's own content: one case a type of SPEC §2 and §12.
///
/// For a new type the compiler asks for `type`, `fields` and `show`, and wherever else a switch is about every type
/// (CONTRIBUTING, "A fact"). Two lists below it does not ask for: what is missing in `all` has no name in JSON, and what is
/// missing in `filled` cannot be read back, which the catalog's tests notice.
/// The largest are kept in a box: all others would be as large as they are, and every event is copied and destroyed.
public enum Payload: Sendable, Equatable {
    case policyAdopted(PolicyAdopted)
    case userEnrolled(UserEnrolled)
    case timezoneChanged(TimezoneChanged)
    case consentGiven(ConsentGiven)
    case consentWithdrawn(ConsentWithdrawn)
    case pushPermissionChanged(PushPermissionChanged)
    case preferencesChanged(PreferencesChanged)
    case presetApplied(PresetApplied)
    case preferencesReset(PreferencesReset)
    indirect case deviceRegistered(DeviceRegistered)
    case deviceRemoved(DeviceRemoved)
    case phoneVerificationRequested(PhoneVerificationRequested)
    case phoneCodeEntered(PhoneCodeEntered)
    case appOpened(AppOpened)
    case appClosed(AppClosed)
    case conversationOpened(ConversationOpened)
    case conversationClosed(ConversationClosed)
    case messagesRead(MessagesRead)
    indirect case messageReceived(MessageReceived)
    case messageSent(MessageSent)
    case sessionCompleted(SessionCompleted)
    case checkedIn(CheckedIn)
    case pointsEarned(PointsEarned)
    case goalStarted(GoalStarted)
    case goalChanged(GoalChanged)
    case goalEnded(GoalEnded)
    indirect case noticeRequested(NoticeRequested)
    case analysisAnswered(AnalysisAnswered)
    case analysisFailed(AnalysisFailed)
    case jobDelivered(JobDelivered)
    case jobFailed(JobFailed)
    case noticeOpened(NoticeOpened)
    case noticeDismissed(NoticeDismissed)
    case noticeSnoozed(NoticeSnoozed)
    case feedbackGiven(FeedbackGiven)
    case historyCleared(HistoryCleared)
    case runRequested(RunRequested)
    case deliveryReported(DeliveryReported)
    case jobRetryRequested(JobRetryRequested)
    case testRequested(TestRequested)
    case unsubscribed(Unsubscribed)
    case feedSeen(FeedSeen)
    case subjectNamed(SubjectNamed)
    case contactChanged(ContactChanged)
    case personErased(PersonErased)
    case noticeHeld(NoticeHeld)
    case noticeGathered(NoticeGathered)
    case noticeDropped(NoticeDropped)
    case slotsSkipped(SlotsSkipped)
    indirect case jobEmitted(JobEmitted)
    case analysisRequested(AnalysisRequested)
    case analysisConcluded(AnalysisConcluded)
    case phoneVerified(PhoneVerified)
    case phoneLocked(PhoneLocked)
    case workerStarted(WorkerStarted)
    case partitionTaken(PartitionTaken)
    case policyApplied(PolicyApplied)
    case textsErased(TextsErased)
}

extension Payload {
    /// Whether it came from outside. A session that Belfry concluded from messages (`S3`) and the erasure of somebody who left are
    /// decisions, though their types are facts'.
    public var isFact: Bool {
        switch self {
        case .sessionCompleted(let session) where session.isDerived == true: false
        case .personErased(let erased) where erased.isDerived == true: false
        default: type.side == .fact
        }
    }

    /// Whether events of a type may be decisions though the type is a fact's.
    public static func mayBeDerived(_ number: Int) -> Bool {
        number == SessionCompleted.type.number || number == PersonErased.type.number
    }
}

extension Payload {
    /// Every type in the order of its number, each with nothing filled in.
    public static let all: [Payload] = [
        .policyAdopted(PolicyAdopted()),
        .userEnrolled(UserEnrolled()),
        .timezoneChanged(TimezoneChanged()),
        .consentGiven(ConsentGiven()),
        .consentWithdrawn(ConsentWithdrawn()),
        .pushPermissionChanged(PushPermissionChanged()),
        .preferencesChanged(PreferencesChanged()),
        .presetApplied(PresetApplied()),
        .preferencesReset(PreferencesReset()),
        .deviceRegistered(DeviceRegistered()),
        .deviceRemoved(DeviceRemoved()),
        .phoneVerificationRequested(PhoneVerificationRequested()),
        .phoneCodeEntered(PhoneCodeEntered()),
        .appOpened(AppOpened()),
        .appClosed(AppClosed()),
        .conversationOpened(ConversationOpened()),
        .conversationClosed(ConversationClosed()),
        .messagesRead(MessagesRead()),
        .messageReceived(MessageReceived()),
        .messageSent(MessageSent()),
        .sessionCompleted(SessionCompleted()),
        .checkedIn(CheckedIn()),
        .pointsEarned(PointsEarned()),
        .goalStarted(GoalStarted()),
        .goalChanged(GoalChanged()),
        .goalEnded(GoalEnded()),
        .noticeRequested(NoticeRequested()),
        .analysisAnswered(AnalysisAnswered()),
        .analysisFailed(AnalysisFailed()),
        .jobDelivered(JobDelivered()),
        .jobFailed(JobFailed()),
        .noticeOpened(NoticeOpened()),
        .noticeDismissed(NoticeDismissed()),
        .noticeSnoozed(NoticeSnoozed()),
        .feedbackGiven(FeedbackGiven()),
        .historyCleared(HistoryCleared()),
        .runRequested(RunRequested()),
        .deliveryReported(DeliveryReported()),
        .jobRetryRequested(JobRetryRequested()),
        .testRequested(TestRequested()),
        .unsubscribed(Unsubscribed()),
        .feedSeen(FeedSeen()),
        .subjectNamed(SubjectNamed()),
        .contactChanged(ContactChanged()),
        .personErased(PersonErased()),
        .noticeHeld(NoticeHeld()),
        .noticeGathered(NoticeGathered()),
        .noticeDropped(NoticeDropped()),
        .slotsSkipped(SlotsSkipped()),
        .jobEmitted(JobEmitted()),
        .analysisRequested(AnalysisRequested()),
        .analysisConcluded(AnalysisConcluded()),
        .phoneVerified(PhoneVerified()),
        .phoneLocked(PhoneLocked()),
        .workerStarted(WorkerStarted()),
        .partitionTaken(PartitionTaken()),
        .policyApplied(PolicyApplied()),
        .textsErased(TextsErased()),
    ]

    public var type: RecordType {
        switch self {
        case .policyAdopted: PolicyAdopted.type
        case .userEnrolled: UserEnrolled.type
        case .timezoneChanged: TimezoneChanged.type
        case .consentGiven: ConsentGiven.type
        case .consentWithdrawn: ConsentWithdrawn.type
        case .pushPermissionChanged: PushPermissionChanged.type
        case .preferencesChanged: PreferencesChanged.type
        case .presetApplied: PresetApplied.type
        case .preferencesReset: PreferencesReset.type
        case .deviceRegistered: DeviceRegistered.type
        case .deviceRemoved: DeviceRemoved.type
        case .phoneVerificationRequested: PhoneVerificationRequested.type
        case .phoneCodeEntered: PhoneCodeEntered.type
        case .appOpened: AppOpened.type
        case .appClosed: AppClosed.type
        case .conversationOpened: ConversationOpened.type
        case .conversationClosed: ConversationClosed.type
        case .messagesRead: MessagesRead.type
        case .messageReceived: MessageReceived.type
        case .messageSent: MessageSent.type
        case .sessionCompleted: SessionCompleted.type
        case .checkedIn: CheckedIn.type
        case .pointsEarned: PointsEarned.type
        case .goalStarted: GoalStarted.type
        case .goalChanged: GoalChanged.type
        case .goalEnded: GoalEnded.type
        case .noticeRequested: NoticeRequested.type
        case .analysisAnswered: AnalysisAnswered.type
        case .analysisFailed: AnalysisFailed.type
        case .jobDelivered: JobDelivered.type
        case .jobFailed: JobFailed.type
        case .noticeOpened: NoticeOpened.type
        case .noticeDismissed: NoticeDismissed.type
        case .noticeSnoozed: NoticeSnoozed.type
        case .feedbackGiven: FeedbackGiven.type
        case .historyCleared: HistoryCleared.type
        case .runRequested: RunRequested.type
        case .deliveryReported: DeliveryReported.type
        case .jobRetryRequested: JobRetryRequested.type
        case .testRequested: TestRequested.type
        case .unsubscribed: Unsubscribed.type
        case .feedSeen: FeedSeen.type
        case .subjectNamed: SubjectNamed.type
        case .contactChanged: ContactChanged.type
        case .personErased: PersonErased.type
        case .noticeHeld: NoticeHeld.type
        case .noticeGathered: NoticeGathered.type
        case .noticeDropped: NoticeDropped.type
        case .slotsSkipped: SlotsSkipped.type
        case .jobEmitted: JobEmitted.type
        case .analysisRequested: AnalysisRequested.type
        case .analysisConcluded: AnalysisConcluded.type
        case .phoneVerified: PhoneVerified.type
        case .phoneLocked: PhoneLocked.type
        case .workerStarted: WorkerStarted.type
        case .partitionTaken: PartitionTaken.type
        case .policyApplied: PolicyApplied.type
        case .textsErased: TextsErased.type
        }
    }

    /// The type with this number, as a visitor fills it in, or `nil` for one this version does not know.
    ///
    /// The record is filled in before it is put among the others: a payload is large to take apart and to put together again.
    @inline(__always)
    static func filled<V: FieldVisitor>(_ number: Int, by visitor: inout V) throws(FieldError) -> Payload? {
        switch number {
        case PolicyAdopted.type.number: .policyAdopted(try PolicyAdopted(filledBy: &visitor))
        case UserEnrolled.type.number: .userEnrolled(try UserEnrolled(filledBy: &visitor))
        case TimezoneChanged.type.number: .timezoneChanged(try TimezoneChanged(filledBy: &visitor))
        case ConsentGiven.type.number: .consentGiven(try ConsentGiven(filledBy: &visitor))
        case ConsentWithdrawn.type.number: .consentWithdrawn(try ConsentWithdrawn(filledBy: &visitor))
        case PushPermissionChanged.type.number: .pushPermissionChanged(try PushPermissionChanged(filledBy: &visitor))
        case PreferencesChanged.type.number: .preferencesChanged(try PreferencesChanged(filledBy: &visitor))
        case PresetApplied.type.number: .presetApplied(try PresetApplied(filledBy: &visitor))
        case PreferencesReset.type.number: .preferencesReset(try PreferencesReset(filledBy: &visitor))
        case DeviceRegistered.type.number: .deviceRegistered(try DeviceRegistered(filledBy: &visitor))
        case DeviceRemoved.type.number: .deviceRemoved(try DeviceRemoved(filledBy: &visitor))
        case PhoneVerificationRequested.type.number:
            .phoneVerificationRequested(try PhoneVerificationRequested(filledBy: &visitor))
        case PhoneCodeEntered.type.number: .phoneCodeEntered(try PhoneCodeEntered(filledBy: &visitor))
        case AppOpened.type.number: .appOpened(try AppOpened(filledBy: &visitor))
        case AppClosed.type.number: .appClosed(try AppClosed(filledBy: &visitor))
        case ConversationOpened.type.number: .conversationOpened(try ConversationOpened(filledBy: &visitor))
        case ConversationClosed.type.number: .conversationClosed(try ConversationClosed(filledBy: &visitor))
        case MessagesRead.type.number: .messagesRead(try MessagesRead(filledBy: &visitor))
        case MessageReceived.type.number: .messageReceived(try MessageReceived(filledBy: &visitor))
        case MessageSent.type.number: .messageSent(try MessageSent(filledBy: &visitor))
        case SessionCompleted.type.number: .sessionCompleted(try SessionCompleted(filledBy: &visitor))
        case CheckedIn.type.number: .checkedIn(try CheckedIn(filledBy: &visitor))
        case PointsEarned.type.number: .pointsEarned(try PointsEarned(filledBy: &visitor))
        case GoalStarted.type.number: .goalStarted(try GoalStarted(filledBy: &visitor))
        case GoalChanged.type.number: .goalChanged(try GoalChanged(filledBy: &visitor))
        case GoalEnded.type.number: .goalEnded(try GoalEnded(filledBy: &visitor))
        case NoticeRequested.type.number: .noticeRequested(try NoticeRequested(filledBy: &visitor))
        case AnalysisAnswered.type.number: .analysisAnswered(try AnalysisAnswered(filledBy: &visitor))
        case AnalysisFailed.type.number: .analysisFailed(try AnalysisFailed(filledBy: &visitor))
        case JobDelivered.type.number: .jobDelivered(try JobDelivered(filledBy: &visitor))
        case JobFailed.type.number: .jobFailed(try JobFailed(filledBy: &visitor))
        case NoticeOpened.type.number: .noticeOpened(try NoticeOpened(filledBy: &visitor))
        case NoticeDismissed.type.number: .noticeDismissed(try NoticeDismissed(filledBy: &visitor))
        case NoticeSnoozed.type.number: .noticeSnoozed(try NoticeSnoozed(filledBy: &visitor))
        case FeedbackGiven.type.number: .feedbackGiven(try FeedbackGiven(filledBy: &visitor))
        case HistoryCleared.type.number: .historyCleared(try HistoryCleared(filledBy: &visitor))
        case RunRequested.type.number: .runRequested(try RunRequested(filledBy: &visitor))
        case DeliveryReported.type.number: .deliveryReported(try DeliveryReported(filledBy: &visitor))
        case JobRetryRequested.type.number: .jobRetryRequested(try JobRetryRequested(filledBy: &visitor))
        case TestRequested.type.number: .testRequested(try TestRequested(filledBy: &visitor))
        case Unsubscribed.type.number: .unsubscribed(try Unsubscribed(filledBy: &visitor))
        case FeedSeen.type.number: .feedSeen(try FeedSeen(filledBy: &visitor))
        case SubjectNamed.type.number: .subjectNamed(try SubjectNamed(filledBy: &visitor))
        case ContactChanged.type.number: .contactChanged(try ContactChanged(filledBy: &visitor))
        case PersonErased.type.number: .personErased(try PersonErased(filledBy: &visitor))
        case NoticeHeld.type.number: .noticeHeld(try NoticeHeld(filledBy: &visitor))
        case NoticeGathered.type.number: .noticeGathered(try NoticeGathered(filledBy: &visitor))
        case NoticeDropped.type.number: .noticeDropped(try NoticeDropped(filledBy: &visitor))
        case SlotsSkipped.type.number: .slotsSkipped(try SlotsSkipped(filledBy: &visitor))
        case JobEmitted.type.number: .jobEmitted(try JobEmitted(filledBy: &visitor))
        case AnalysisRequested.type.number: .analysisRequested(try AnalysisRequested(filledBy: &visitor))
        case AnalysisConcluded.type.number: .analysisConcluded(try AnalysisConcluded(filledBy: &visitor))
        case PhoneVerified.type.number: .phoneVerified(try PhoneVerified(filledBy: &visitor))
        case PhoneLocked.type.number: .phoneLocked(try PhoneLocked(filledBy: &visitor))
        case WorkerStarted.type.number: .workerStarted(try WorkerStarted(filledBy: &visitor))
        case PartitionTaken.type.number: .partitionTaken(try PartitionTaken(filledBy: &visitor))
        case PolicyApplied.type.number: .policyApplied(try PolicyApplied(filledBy: &visitor))
        case TextsErased.type.number: .textsErased(try TextsErased(filledBy: &visitor))
        default: nil
        }
    }
}

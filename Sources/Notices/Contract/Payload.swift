/// Any event's own content: one case a type of SPEC §2 and §12.
///
/// The lists below are all there is to add for a new type. The compiler asks for `type` and `fields`; what is missing
/// in `all` has no name in JSON, and what is missing in `empty` cannot be read back, which the catalog's tests notice.
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
    case deviceRegistered(DeviceRegistered)
    case deviceRemoved(DeviceRemoved)
    case phoneVerificationRequested(PhoneVerificationRequested)
    case phoneCodeEntered(PhoneCodeEntered)
    case appOpened(AppOpened)
    case appClosed(AppClosed)
    case conversationOpened(ConversationOpened)
    case conversationClosed(ConversationClosed)
    case messagesRead(MessagesRead)
    case messageReceived(MessageReceived)
    case messageSent(MessageSent)
    case sessionCompleted(SessionCompleted)
    case checkedIn(CheckedIn)
    case pointsEarned(PointsEarned)
    case goalStarted(GoalStarted)
    case goalChanged(GoalChanged)
    case goalEnded(GoalEnded)
    case noticeRequested(NoticeRequested)
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
        }
    }

    /// The type with this number, with nothing filled in, or `nil` for one this version does not know.
    @inline(__always)
    static func empty(_ number: Int) -> Payload? {
        switch number {
        case PolicyAdopted.type.number: .policyAdopted(PolicyAdopted())
        case UserEnrolled.type.number: .userEnrolled(UserEnrolled())
        case TimezoneChanged.type.number: .timezoneChanged(TimezoneChanged())
        case ConsentGiven.type.number: .consentGiven(ConsentGiven())
        case ConsentWithdrawn.type.number: .consentWithdrawn(ConsentWithdrawn())
        case PushPermissionChanged.type.number: .pushPermissionChanged(PushPermissionChanged())
        case PreferencesChanged.type.number: .preferencesChanged(PreferencesChanged())
        case PresetApplied.type.number: .presetApplied(PresetApplied())
        case PreferencesReset.type.number: .preferencesReset(PreferencesReset())
        case DeviceRegistered.type.number: .deviceRegistered(DeviceRegistered())
        case DeviceRemoved.type.number: .deviceRemoved(DeviceRemoved())
        case PhoneVerificationRequested.type.number: .phoneVerificationRequested(PhoneVerificationRequested())
        case PhoneCodeEntered.type.number: .phoneCodeEntered(PhoneCodeEntered())
        case AppOpened.type.number: .appOpened(AppOpened())
        case AppClosed.type.number: .appClosed(AppClosed())
        case ConversationOpened.type.number: .conversationOpened(ConversationOpened())
        case ConversationClosed.type.number: .conversationClosed(ConversationClosed())
        case MessagesRead.type.number: .messagesRead(MessagesRead())
        case MessageReceived.type.number: .messageReceived(MessageReceived())
        case MessageSent.type.number: .messageSent(MessageSent())
        case SessionCompleted.type.number: .sessionCompleted(SessionCompleted())
        case CheckedIn.type.number: .checkedIn(CheckedIn())
        case PointsEarned.type.number: .pointsEarned(PointsEarned())
        case GoalStarted.type.number: .goalStarted(GoalStarted())
        case GoalChanged.type.number: .goalChanged(GoalChanged())
        case GoalEnded.type.number: .goalEnded(GoalEnded())
        case NoticeRequested.type.number: .noticeRequested(NoticeRequested())
        case AnalysisAnswered.type.number: .analysisAnswered(AnalysisAnswered())
        case AnalysisFailed.type.number: .analysisFailed(AnalysisFailed())
        case JobDelivered.type.number: .jobDelivered(JobDelivered())
        case JobFailed.type.number: .jobFailed(JobFailed())
        case NoticeOpened.type.number: .noticeOpened(NoticeOpened())
        case NoticeDismissed.type.number: .noticeDismissed(NoticeDismissed())
        case NoticeSnoozed.type.number: .noticeSnoozed(NoticeSnoozed())
        case FeedbackGiven.type.number: .feedbackGiven(FeedbackGiven())
        case HistoryCleared.type.number: .historyCleared(HistoryCleared())
        case RunRequested.type.number: .runRequested(RunRequested())
        case DeliveryReported.type.number: .deliveryReported(DeliveryReported())
        case JobRetryRequested.type.number: .jobRetryRequested(JobRetryRequested())
        case TestRequested.type.number: .testRequested(TestRequested())
        case Unsubscribed.type.number: .unsubscribed(Unsubscribed())
        case FeedSeen.type.number: .feedSeen(FeedSeen())
        case SubjectNamed.type.number: .subjectNamed(SubjectNamed())
        case ContactChanged.type.number: .contactChanged(ContactChanged())
        case PersonErased.type.number: .personErased(PersonErased())
        case NoticeHeld.type.number: .noticeHeld(NoticeHeld())
        case NoticeGathered.type.number: .noticeGathered(NoticeGathered())
        case NoticeDropped.type.number: .noticeDropped(NoticeDropped())
        case SlotsSkipped.type.number: .slotsSkipped(SlotsSkipped())
        case JobEmitted.type.number: .jobEmitted(JobEmitted())
        case AnalysisRequested.type.number: .analysisRequested(AnalysisRequested())
        case AnalysisConcluded.type.number: .analysisConcluded(AnalysisConcluded())
        case PhoneVerified.type.number: .phoneVerified(PhoneVerified())
        case PhoneLocked.type.number: .phoneLocked(PhoneLocked())
        case WorkerStarted.type.number: .workerStarted(WorkerStarted())
        case PartitionTaken.type.number: .partitionTaken(PartitionTaken())
        case PolicyApplied.type.number: .policyApplied(PolicyApplied())
        default: nil
        }
    }
}

internal import Notices

extension Payload {
    /// Whether it only tells of a job that there was: an outcome, or what the person did with it. Others ask for something.
    var tellsOfJob: Bool {
        switch self {
        case .jobDelivered, .jobFailed, .deliveryReported, .noticeOpened, .noticeDismissed, .feedbackGiven: true
        default: false
        }
    }

    /// The job that an outcome or an answer is about.
    var answeredJob: NoticeName? {
        get {
            switch self {
            case .jobDelivered(let fact): fact.job
            case .jobFailed(let fact): fact.job
            case .deliveryReported(let fact): fact.job
            case .jobRetryRequested(let fact): fact.job
            case .noticeOpened(let fact): fact.job
            case .noticeDismissed(let fact): fact.job
            case .noticeSnoozed(let fact): fact.job
            case .feedbackGiven(let fact): fact.job
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .jobDelivered(var fact):
                fact.job = newValue
                self = .jobDelivered(fact)
            case .jobFailed(var fact):
                fact.job = newValue
                self = .jobFailed(fact)
            case .deliveryReported(var fact):
                fact.job = newValue
                self = .deliveryReported(fact)
            case .jobRetryRequested(var fact):
                fact.job = newValue
                self = .jobRetryRequested(fact)
            case .noticeOpened(var fact):
                fact.job = newValue
                self = .noticeOpened(fact)
            case .noticeDismissed(var fact):
                fact.job = newValue
                self = .noticeDismissed(fact)
            case .noticeSnoozed(var fact):
                fact.job = newValue
                self = .noticeSnoozed(fact)
            case .feedbackGiven(var fact):
                fact.job = newValue
                self = .feedbackGiven(fact)
            default: break
            }
        }
    }
}

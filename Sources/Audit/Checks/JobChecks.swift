/// Every check that is asked of every job, each by itself: a job may break several.
struct JobCheck: Sendable {
    let check: Check
    let finding: @Sendable (JobMatter) -> Finding

    static let all: [JobCheck] = [
        JobCheck(check: .expired, finding: { $0.expiredFinding }),
        JobCheck(check: .settled, finding: { $0.settledFinding }),
        JobCheck(check: .consent, finding: { $0.consentFinding }),
        JobCheck(check: .masterSwitch, finding: { $0.masterSwitchFinding }),
        JobCheck(check: .kindSwitch, finding: { $0.kindSwitchFinding }),
        JobCheck(check: .channels, finding: { $0.channelsFinding }),
        JobCheck(check: .everyChannel, finding: { $0.everyChannelFinding }),
        JobCheck(check: .viewing, finding: { $0.viewingFinding }),
        JobCheck(check: .quietHours, finding: { $0.quietHoursFinding }),
        JobCheck(check: .schedule, finding: { $0.scheduleFinding }),
        JobCheck(check: .digestMode, finding: { $0.digestModeFinding }),
        JobCheck(check: .cooldown, finding: { $0.cooldownFinding }),
        JobCheck(check: .overload, finding: { $0.overloadFinding }),
        JobCheck(check: .dailyCap, finding: { $0.dailyCapFinding }),
        JobCheck(check: .inApp, finding: { $0.inAppFinding }),
        JobCheck(check: .bundles, finding: { $0.bundlesFinding }),
        JobCheck(check: .carried, finding: { $0.carriedFinding }),
        JobCheck(check: .prompts, finding: { $0.promptsFinding }),
    ]
}

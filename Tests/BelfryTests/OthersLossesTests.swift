import Shared
import Testing

@testable import belfry

/// What a worker that starts makes of others' words that the database has lost something (`M5`).
@Suite("Others' losses")
struct OthersLossesTests {
    private enum Judged: Equatable {
        case well, waits, ends
    }

    private static func judge(
        _ losses: inout OthersLosses, after time: Duration, _ problem: MembershipProblem?
    ) -> Judged {
        do throws(MembershipProblem) {
            try losses.judge(at: BootInstant(nanoseconds: 0) + time) { () throws(MembershipProblem) in
                if let problem { throw problem }
            }
            return .well
        } catch {
            if case .passing = error { return .waits }
            return .ends
        }
    }

    private static let missed = MembershipProblem.fatal(Failure(.damaged, "what another has was lost"))

    @Test func `one that starts waits a while until the others have taken back theirs`() {
        var losses = OthersLosses()
        for second in 0..<OthersLosses.patience.components.seconds {
            #expect(Self.judge(&losses, after: .seconds(second), Self.missed) == .waits)
        }
        #expect(Self.judge(&losses, after: OthersLosses.patience, Self.missed) == .ends)
    }

    @Test func `a while in which it saw nothing is none in which it waited`() {
        var losses = OthersLosses()
        #expect(Self.judge(&losses, after: .zero, Self.missed) == .waits)
        // The database was away.
        #expect(Self.judge(&losses, after: .seconds(60), Self.missed) == .waits)
        for second in 61..<90 { #expect(Self.judge(&losses, after: .seconds(second), Self.missed) == .waits) }
        #expect(Self.judge(&losses, after: .seconds(90), Self.missed) == .ends)
    }

    @Test func `told once it has begun, or of anything else, it ends at once`() {
        var losses = OthersLosses()
        #expect(Self.judge(&losses, after: .zero, .fatal(Failure(.environment, "no rights"))) == .ends)
        #expect(Self.judge(&losses, after: .zero, Self.missed) == .waits)
        #expect(Self.judge(&losses, after: .seconds(1), nil) == .well)
        #expect(Self.judge(&losses, after: .seconds(2), Self.missed) == .ends)
    }
}

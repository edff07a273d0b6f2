import CivilTime
import Simulation
import Testing

@testable import Notices

/// E4: the same person may enrol again and is somebody new, whom nothing reaches that was meant for the one before.
@Suite("E4: which of those who had an id is meant")
struct AddresseeTests {
    private static let start = Instant(milliseconds: 1_772_460_000_000)

    private func at(_ minutes: Int64) -> Instant { Self.start.advanced(byMinutes: minutes) }

    private func fold(_ register: inout Register, _ user: String, _ minutes: Int64, _ payload: Payload) {
        register.fold(Event(seq: UInt64(minutes + 1), at: at(minutes), user: user, payload: payload))
    }

    private func isMeant(_ addressee: Addressee, _ user: String, _ register: Register) -> Bool {
        let problem = register.problem(
            with: addressee, number: register.number(of: user), about: user, at: at(60))
        return problem == nil
    }

    @Test func `whoever was there then, and nobody who came later`() {
        var register = Register(ShippedPlans["standard"])
        fold(&register, "zoe", 0, .appOpened(AppOpened()))
        fold(&register, "anna", 1, .appOpened(AppOpened()))
        #expect(isMeant(.known(at: at(1)), "anna", register) && isMeant(.onlyOne, "anna", register))
        #expect(!isMeant(.known(at: at(0)), "anna", register))
        #expect(!isMeant(.known(at: at(1).advanced(byMilliseconds: -1)), "anna", register))
        fold(&register, "anna", 2, .personErased(PersonErased()))
        for addressee in [
            Addressee.known(at: at(1)), .known(at: at(9)), .onlyOne, .had(job: NoticeName("anna/alert/#2")),
        ] {
            #expect(!isMeant(addressee, "anna", register), "\(addressee) of nobody")
        }
        fold(&register, "anna", 3, .appOpened(AppOpened()))
        #expect(!isMeant(.known(at: at(1)), "anna", register))
        #expect(isMeant(.known(at: at(3)), "anna", register))
        // Who came before anybody was erased follows nobody; of who came after it cannot be told.
        #expect(!isMeant(.onlyOne, "anna", register) && isMeant(.onlyOne, "zoe", register))
    }

    @Test func `whoever the job was for`() {
        var register = Register(ShippedPlans["standard"])
        var job = JobEmitted()
        job.job = NoticeName("anna/alert/#2")
        job.kind = Identifier("alert")
        job.notices = [job.job]
        job.channels = [.push]
        fold(&register, "anna", 1, .jobEmitted(job))
        #expect(isMeant(.had(job: job.job), "anna", register))
        #expect(!isMeant(.had(job: NoticeName("anna/alert/#3")), "anna", register))
        fold(&register, "anna", 2, .personErased(PersonErased()))
        fold(&register, "anna", 3, .appOpened(AppOpened()))
        #expect(!isMeant(.had(job: job.job), "anna", register))
    }

    @Test func `it is passed on as it is`() {
        let all = [Addressee.known(at: at(1)), .had(job: NoticeName("anna:x@y/alert/goal:g1/#2~1")), .onlyOne]
        for addressee in all { #expect(Addressee(addressee.text) == addressee) }
        for text in ["", "at=", "at=x", "job=", "job=a b", "one", "one=1", "x=1"] { #expect(Addressee(text) == nil) }
        #expect(Addressee.isRefusal(Addressee.refusal))
        #expect(Addressee.isRefusal(FieldError("\(Addressee.refusal)")))
        #expect(!Addressee.isRefusal(FieldError(path: "user", "is nobody known here")))
    }
}

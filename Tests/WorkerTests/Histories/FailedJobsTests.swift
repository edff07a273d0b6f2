import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// N7: what failed is found in the log, however much has failed.
@Suite("N7, finding what failed")
struct FailedJobsTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    private func tell(_ type: String, _ user: String, _ data: String, to machine: SimulatedMachine) throws {
        let line = "{\"type\":\"\(type)\",\"user\":\"\(user)\",\"data\":\(data)}"
        machine.core?.ask(facts: [try fact(line)], answers.hear)
        machine.settle()
        machine.clock = machine.clock.advanced(bySeconds: 1)
    }

    private func fail(_ job: NoticeName, on machine: SimulatedMachine) throws {
        let data = "{\"job\":\"\(job.text)\",\"channel\":\"push\",\"reason\":\"answered 500\",\"permanent\":false}"
        try tell("job_failed", job.user, data, to: machine)
    }

    /// Urgent jobs of so many people, each of which has failed, in their order.
    private func failed(_ count: Int, on machine: SimulatedMachine) throws -> [NoticeName] {
        for number in 0..<count { try tell("notice_requested", "u\(number)", #"{"kind":"urgent"}"#, to: machine) }
        let jobs = try machine.commits().joined().compactMap { event -> NoticeName? in
            if case .jobEmitted(let job) = event.payload { job.job } else { nil }
        }
        try #require(jobs.count == count)
        for job in jobs { try fail(job, on: machine) }
        return jobs
    }

    private func log(_ machine: SimulatedMachine) throws -> LogReader {
        try LogReader(SimulatedMachine.directory, on: machine.disk)
    }

    @Test(arguments: [1, 2, 3, 7, 100])
    func `what got through since takes no place of what did not`(namesMax: Int) throws {
        let machine = machine()
        let jobs = try failed(7, on: machine)
        for job in jobs.prefix(4) {
            try tell("job_delivered", job.user, "{\"job\":\"\(job.text)\",\"channel\":\"push\"}", to: machine)
        }
        let found = FailedJobs(try log(machine), namesMax: namesMax)
        #expect(try found.since(Self.noon, most: 2).map(\.text) == jobs[4...5].map(\.text))
        #expect(try found.since(Self.noon).map(\.text) == jobs[4...].map(\.text))
        #expect(try found.people(since: Self.noon) == ["u4", "u5", "u6"])
        #expect(try found.since(machine.clock).isEmpty)
        #expect(try found.since(Self.noon, isWanted: { false }).isEmpty)
    }

    @Test(arguments: [1, 2, 100])
    func `one that failed twice is found once, where it failed first`(namesMax: Int) throws {
        let machine = machine()
        let jobs = try failed(3, on: machine)
        for job in jobs.prefix(2) {
            try tell("job_retry_requested", job.user, "{\"job\":\"\(job.text)\"}", to: machine)
            try fail(job, on: machine)
        }
        let found = FailedJobs(try log(machine), namesMax: namesMax)
        #expect(try found.since(Self.noon).map(\.text) == jobs.map(\.text))
    }

    @Test func `nothing is found of whom the log has erased`() throws {
        let life = ErasedLife()
        life.machine.start()
        let start = life.machine.clock
        for user in ["annalena", "bobolink"] {
            try life.tell(user, #""type":"notice_requested","data":{"kind":"urgent"}"#)
        }
        let jobs = try life.machine.commits().joined().compactMap { event -> NoticeName? in
            if case .jobEmitted(let job) = event.payload { job.job } else { nil }
        }
        for job in jobs {
            let data = "{\"job\":\"\(job.text)\",\"channel\":\"push\",\"reason\":\"gone\",\"permanent\":true}"
            try life.tell(job.user, "\"type\":\"job_failed\",\"data\":\(data)")
        }
        #expect(try FailedJobs(log(life.machine)).since(start).map(\.user) == ["annalena", "bobolink"])
        try life.erase("annalena")
        let found = FailedJobs(try log(life.machine))
        #expect(try found.since(start, most: 1).map(\.user) == ["bobolink"])
        #expect(try found.people(since: start) == ["bobolink"])
    }
}

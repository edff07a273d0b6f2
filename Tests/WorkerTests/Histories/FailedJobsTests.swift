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
        for candidatesMax in [namesMax, 1000] {
            let found = FailedJobs(try log(machine), namesMax: namesMax, candidatesMax: candidatesMax)
            #expect(try found.since(Self.noon, most: 2).map(\.text) == jobs[4...5].map(\.text))
            #expect(try found.since(Self.noon).map(\.text) == jobs[4...].map(\.text))
            #expect(try found.people(since: Self.noon) == ["u4", "u5", "u6"])
            #expect(try found.since(machine.clock).isEmpty)
            #expect(try found.since(Self.noon, isWanted: { false }).isEmpty)
        }
    }

    @Test(arguments: [1, 2, 100])
    func `one that failed twice is found once, where it failed first`(namesMax: Int) throws {
        let machine = machine()
        let jobs = try failed(3, on: machine)
        for job in jobs.prefix(2) {
            try tell("job_retry_requested", job.user, "{\"job\":\"\(job.text)\"}", to: machine)
            try fail(job, on: machine)
        }
        for candidatesMax in [namesMax, 1000] {
            let found = FailedJobs(try log(machine), namesMax: namesMax, candidatesMax: candidatesMax)
            #expect(try found.since(Self.noon).map(\.text) == jobs.map(\.text))
        }
    }

    @Test func `most got through since, and the log is read a few times for all`() throws {
        let machine = machine()
        let jobs = try failed(40, on: machine)
        for (place, job) in jobs.dropLast(3).enumerated() {
            if place < 20 { try tell("job_retry_requested", job.user, "{\"job\":\"\(job.text)\"}", to: machine) }
            if place > 2 {
                try tell("job_delivered", job.user, "{\"job\":\"\(job.text)\",\"channel\":\"push\"}", to: machine)
            }
        }
        let log = try log(machine)
        func commitsRead(_ found: FailedJobs) throws -> Int {
            var count = 0
            let names = try found.since(
                Self.noon,
                isWanted: {
                    count += 1
                    return true
                })
            #expect(names.map(\.text) == jobs.suffix(3).map(\.text))
            return count
        }
        // Twice, as much as there is room for, and once more to pass over those that got through.
        let twice = try commitsRead(FailedJobs(log))
        #expect(try commitsRead(FailedJobs(log, namesMax: 3)) <= twice * 2)
    }

    @Test func `what was reported before its outcome was recorded is found`() throws {
        let machine = machine()
        let jobs = try failed(3, on: machine)
        let job = jobs[1]
        let about = "\"job\":\"\(job.text)\",\"channel\":\"push\",\"provider_id\":\"p1\""
        try tell("delivery_reported", job.user, "{\(about),\"status\":\"bounced\"}", to: machine)
        try tell("job_delivered", job.user, "{\(about)}", to: machine)
        for namesMax in [1, 100] {
            let found = FailedJobs(try log(machine), namesMax: namesMax)
            #expect(try found.since(Self.noon).map(\.text) == jobs.map(\.text), "\(namesMax)")
        }
    }

    /// Something that a sender, a provider or an operator says of a job, likely or not.
    private static func word(of job: NoticeName, _ random: inout SeededRandom) -> (type: String, data: String) {
        let channel = Int.random(in: 0..<3, using: &random) == 0 ? "email" : "push"
        let number = Int.random(in: 0..<3, using: &random)
        let id = number == 0 ? "" : ",\"provider_id\":\"p\(number)\""
        let about = "\"job\":\"\(job.text)\",\"channel\":\"\(channel)\""
        return switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: ("job_delivered", "{\(about)\(id)}")
        case 2: ("job_failed", "{\(about),\"reason\":\"answered 500\",\"permanent\":false}")
        case 3: ("delivery_reported", "{\(about)\(id),\"status\":\"bounced\"}")
        case 4: ("delivery_reported", "{\(about)\(id),\"status\":\"delivered\"}")
        default: ("job_retry_requested", "{\"job\":\"\(job.text)\"}")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `whatever is told of jobs, none that failed is passed over`(seed: UInt64) throws {
        let machine = machine()
        var random = SeededRandom(seed: seed)
        let jobs = try failed(6, on: machine)
        for _ in 0..<60 {
            let job = jobs[Int.random(in: jobs.indices, using: &random)]
            let (type, data) = Self.word(of: job, &random)
            try tell(type, job.user, data, to: machine)
        }
        let log = try log(machine)
        for start in [Self.noon, Self.noon.advanced(bySeconds: 40)] {
            let all = try FailedJobs(log).since(start).map(\.text)
            for (namesMax, candidatesMax) in [(1, 100), (2, 100), (1, 2), (3, 4)] {
                let found = FailedJobs(log, namesMax: namesMax, candidatesMax: candidatesMax)
                #expect(try found.since(start).map(\.text) == all, "\(namesMax), \(candidatesMax) from \(start)")
            }
        }
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

import Console
import Notices
import Worker

/// Who has a phone number: asked by the worker that somebody's answer to a text came to. It may be anybody's, of any partition.
struct PhoneParts: PartedQuestion {
    static let word = "phone"
    let number: String

    init(_ number: String) { self.number = number }

    var members: [JSONValue.Member] { [.init("number", .string(number))] }

    init?(_ question: JSONValue) {
        guard let number = question["number"]?.string, !number.isEmpty else { return nil }
        self.number = number
    }

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> [String] {
        var users: [String] = []
        for log in logs { users += try service.search(log, .having(phone: number), asker).found.map(\.user) }
        return users
    }

    static func document(of users: [String]) -> JSONValue {
        .object([.init("users", .array(users.map { .string($0) }))])
    }

    func part(_ document: JSONValue) -> [String]? {
        guard let users = document["users"]?.elements?.map(\.string), !users.contains(nil) else { return nil }
        return users.compactMap(\.self)
    }
}

extension PeopleQuery {
    /// As many as a page has at most.
    static func having(phone number: String) -> PeopleQuery {
        var query = PeopleQuery(limit: limitAllowed.upperBound)
        query.phone = number
        return query
    }
}

/// Everybody who has a number, in the logs that are here and in those of other workers.
struct PeopleByPhone: Sendable {
    let town: Town
    /// `nil` where this is the only worker.
    let neighbours: Neighbours?

    /// Answers `nil` where one who has to be asked cannot say: whoever answered is then not known, and the word has to come again.
    func find(_ number: String, _ answer: @escaping @Sendable ([String]?) -> Void) {
        // Asked once what is here, so that a partition that comes or goes meanwhile is asked for once.
        let logs = town.logs
        let here = Set(logs.map { $0.name.number ?? 0 })
        var elsewhere: [String: [Int]] = [:]
        for partition in 0..<(town.directory.partitions ?? 1) where !here.contains(partition) {
            guard let url = neighbours?.url(ofOwnerOf: partition) else {
                neighbours?.wantEveryone()
                return answer(nil)
            }
            elsewhere[url, default: []].append(partition)
        }
        let gathering = Gathering<[String]>(1 + elsewhere.count, whole: []) { answer($0) }
        let hear: @Sendable ([String]?) -> Void = { users in
            guard let users else { return gathering.fail() }
            gathering.add { $0 += users }
        }
        town.people(withPhone: number, in: logs, hear)
        let question = PhoneParts(number)
        for (url, partitions) in elsewhere {
            neighbours?.ask(question.document(of: partitions), of: url) { told in
                hear((try? told.get()).flatMap { question.part($0) })
            }
        }
    }
}

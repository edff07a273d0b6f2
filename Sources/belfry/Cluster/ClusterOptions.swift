import Foundation
import Delivery
import Journal
import Shared

/// What `run` is told of a cluster.
struct ClusterOptions {
    static let postgres = CommandSpec.Option(
        name: "--postgres", value: "URL",
        help: "the database that holds the log (postgres://user@host/name), or @FILE with its URL")

    let log: PostgresLog
    /// The database, as it was named.
    let word: String
    /// Where the others reach this worker; `nil` for where it listens.
    let advertised: String?
    let terms: LeaseTerms
    /// What all workers of the cluster show each other.
    let bearer: String

    /// `nil` where the log lies on this machine's disk.
    init?(_ arguments: Arguments, _ spec: CommandSpec) throws(Failure) {
        guard let log = try Self.log(arguments) else {
            for option in [RunOptions.advertise, RunOptions.lease] where arguments[option] != nil {
                throw .usage("\(option.name) is for --postgres, which is not given", spec)
            }
            return nil
        }
        self.log = log
        word = arguments[Self.postgres] ?? ""
        guard arguments[RunOptions.partitions] == nil else {
            throw .usage("the number of partitions is the cluster's; leave --partitions out", spec)
        }
        guard arguments[RunOptions.listen] != nil, let token = arguments[RunOptions.token] else {
            throw .usage(
                "--postgres needs --listen and --token-file: the workers of a cluster pass requests on to each other",
                spec)
        }
        let file: SecretFile
        do throws(SecretFileError) { file = try SecretFile(token, bytesMax: 64 << 10) } catch {
            throw Failure(.badInput, "--token-file: \(error)")
        }
        bearer = String(decoding: file.bytes.filter { $0 > 0x20 }, as: UTF8.self)
        advertised = try arguments[RunOptions.advertise].map { (url) throws(Failure) in
            guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.hasSuffix("/") else {
                throw Failure.usage("--advertise takes a URL such as http://10.0.0.5:8080, not \"\(url)\"", spec)
            }
            return url
        }
        let seconds = try arguments[RunOptions.lease].map { (word) throws(Failure) in
            guard let seconds = Int(word), (2...60).contains(seconds) else {
                throw Failure.usage("--lease takes a number of seconds from 2 to 60, not \"\(word)\"", spec)
            }
            return seconds
        }
        terms =
            seconds.map {
                LeaseTerms(
                    lifetime: .seconds($0), margin: .milliseconds($0 * 1000 / 6), interval: .milliseconds($0 * 1000 / 3)
                )
            } ?? .usual
    }

    /// The database that is named; `nil` where none is.
    static func log(_ arguments: Arguments) throws(Failure) -> PostgresLog? {
        guard var url = arguments[postgres] else { return nil }
        if url.hasPrefix("@") {
            do throws(SecretFileError) {
                let file = try SecretFile(String(url.dropFirst()), bytesMax: 64 << 10)
                url = String(decoding: file.bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            } catch {
                throw Failure(.badInput, "--postgres: \(error)")
            }
        }
        do throws(SharedLogError) { return try PostgresLog(url) } catch { throw Failure(.wrongUsage, "\(error)") }
    }

    func cluster() throws(Failure) -> Cluster { try Self.cluster(log, isReading: false) }

    /// The cluster that the database holds, for a worker, or for whoever only reads.
    static func cluster(_ log: PostgresLog, isReading: Bool) throws(Failure) -> Cluster {
        do throws(SharedLogError) {
            let connection = try log.connect(ConnectionTerms(isReading: isReading))
            defer { connection.close() }
            return connection.cluster
        } catch {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// What went wrong while a log goes to or from a database, whichever part it was.
    init(moving error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as SharedLogError: self.init(error)
        case let error as JournalError: self.init(error)
        default: self.init(.environment, "\(error)")
        }
    }

    init(_ error: SharedLogError) {
        switch error {
        case .wrongURL, .unusableCount: self.init(.wrongUsage, "\(error)")
        default: self.init(.environment, "\(error)")
        }
    }
}

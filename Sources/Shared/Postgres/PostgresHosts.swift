internal import Synchronization

/// The hosts of a URL that names several, which are tried one after the other: libpq goes to the next only when one has said no, and one
/// whose machine is gone says nothing.
final class PostgresHosts: Sendable {
    let names: [String]
    private let settings: [[(String, String)]]
    /// Where the last connection led.
    private let last = Mutex(0)

    /// - Parameter given: what a URL says, by libpq's keywords.
    init(_ given: [String: String]) {
        func list(_ keyword: String) -> [String] {
            (given[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count)
        func one(_ list: [String], _ place: Int) -> String {
            list.count == 1 ? list[0] : place < list.count ? list[place] : ""
        }
        names = (0..<count).map { place in
            let host = one(hosts, place)
            return host.isEmpty ? one(addresses, place) : host
        }
        settings = (0..<count).map { place in
            [("host", one(hosts, place)), ("hostaddr", one(addresses, place)), ("port", one(ports, place))].filter {
                given[$0.0] != nil
            }
        }
    }

    /// The first that lets itself be connected to, beginning with that which did last.
    func first(_ connect: ([(String, String)]) throws(LinkFailure) -> Link) throws(LinkFailure) -> Link {
        let start = last.withLock { $0 }
        var said: [String] = []
        for step in names.indices {
            let place = (start + step) % names.count
            do throws(LinkFailure) {
                let link = try connect(settings[place])
                last.withLock { $0 = place }
                return link
            } catch {
                // Who is turned away by one is so by all, and has to read why.
                if case .turnedAway(let words) = error, words.state.hasPrefix("28") || words.state.hasPrefix("3D") {
                    throw error
                }
                said.append("\(names[place]): \(error.words)")
            }
        }
        throw .broken(said.joined(separator: "; "))
    }
}

extension LinkFailure {
    fileprivate var words: String {
        switch self {
        case .turnedAway(let words), .refused(let words): words.message
        case .broken(let words): words
        case .late: "it did not answer in time"
        }
    }
}

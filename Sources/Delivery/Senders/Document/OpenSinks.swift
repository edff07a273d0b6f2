internal import CivilTime
internal import Hashing
internal import Notices

/// The sinks of a senders' document, open, and which channels they stand for.
struct OpenSinks: Sendable {
    struct One: Sendable {
        let sink: any Sink
        let limits: SenderGate.Limits
        fileprivate let key: SinkRack.Key

        var spec: SinkSpec { key.spec }
    }

    private let all: [Post: One]
    let posts: [Channel: Post]
    let rack: SinkRack

    var shown: [String] { all.values.map(\.key.spec.shown).sorted() }

    subscript(post: Post) -> One? { all[post] }

    /// What is to be opened, with all that has to be read for it.
    private struct Plan {
        var path: String
        var key: SinkRack.Key
        var limits: SenderGate.Limits
        var open: () throws(SinkOpenError) -> any Sink
    }

    /// Opens all of them, or none.
    init(
        _ document: SendersDocument, _ rack: SinkRack, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) {
        var all: [Post: One] = [:]
        var posts: [Channel: Post] = [:]
        let named = Set(document.sinks.compactMap(\.channel)).union(document.providers)
        let plans = try Self.plans(document.sinks[...], clock, &files)
        do throws(SendersError) {
            for (part, plan) in zip(document.sinks, plans) {
                let first = plans.first { $0.key == plan.key } ?? plan
                let post = Post.sink(path: first.path)
                if all[post] == nil {
                    all[post] = One(sink: try Self.open(plan, rack), limits: plan.limits, key: plan.key)
                }
                let channels = part.channel.map { [$0] } ?? Channel.allCases.filter { !named.contains($0) }
                for channel in channels { posts[channel] = post }
            }
        } catch {
            for one in all.values { rack.giveBack(one.key) {} }
            throw error
        }
        (self.all, self.posts, self.rack) = (all, posts, rack)
    }

    /// Reads what a sink needs, and those in front of it; opens nothing.
    static func read(
        _ part: SendersDocument.SinkPart, of document: SendersDocument, _ files: inout NamedSecrets
    ) throws(SendersError) {
        let before = document.sinks.prefix { $0 != part }.filter { other in
            var files = NamedSecrets()
            return (try? plan(other, { Instant(milliseconds: 0) }, &files)) != nil
        }
        _ = try plans((before + [part])[...], { Instant(milliseconds: 0) }, &files)
    }

    /// Those that name the same say the same of it: it is one sink.
    private static func plans(
        _ parts: ArraySlice<SendersDocument.SinkPart>, _ clock: @escaping @Sendable () -> Instant,
        _ files: inout NamedSecrets
    ) throws(SendersError) -> [Plan] {
        var plans: [Plan] = []
        for part in parts {
            let plan = try plan(part, clock, &files)
            if let same = plans.first(where: { $0.key.spec == plan.key.spec }),
                same.key != plan.key || same.limits != plan.limits
            {
                throw SendersError(
                    plan.path,
                    "names the same as \(same.path), with another secret or other limits: write the same there")
            }
            plans.append(plan)
        }
        return plans
    }

    private static func open(_ plan: Plan, _ rack: SinkRack) throws(SendersError) -> any Sink {
        do throws(SinkOpenError) { return try rack.take(plan.key, open: plan.open) } catch {
            throw SendersError(plan.path, "cannot be used: \(error)")
        }
    }

    private static func plan(
        _ part: SendersDocument.SinkPart, _ clock: @escaping @Sendable () -> Instant, _ files: inout NamedSecrets
    ) throws(SendersError) -> Plan {
        switch part.kind {
        case .stdout:
            return Plan(
                path: part.path, key: .init(spec: .stdout), limits: .init(calls: 256),
                open: { () throws(SinkOpenError) in StdoutSink() })
        case .spool(let directory):
            let spec = SinkSpec.spool(directory: directory)
            return Plan(
                path: part.path, key: .init(spec: spec), limits: .init(calls: 256),
                open: { () throws(SinkOpenError) in try spec.open(secrets: nil, clock: clock) })
        case .webhook(let webhook):
            let address = try address(of: webhook, at: part.path, &files)
            let (secrets, digest) = try secrets(of: webhook, at: part.path, &files)
            let authority = try OpenSenders.check(webhook.server, part.path, &files)
            let calls = webhook.server.limits.calls ?? WebhookSink.usualWindow
            return Plan(
                path: part.path,
                key: .init(spec: .webhook(address), secrets: digest, authority: authority, calls: calls),
                limits: .init(calls: calls, perSecond: webhook.server.limits.perSecond),
                open: { () throws(SinkOpenError) in
                    WebhookSink(
                        address, secrets: secrets, window: calls, caFile: webhook.server.caFile, clock: clock)
                })
        }
    }

    /// Where a webhook leads, read from its file where it stands in one.
    static func address(
        of webhook: SendersDocument.Webhook, at path: String, _ files: inout NamedSecrets
    ) throws(SendersError) -> HTTPAddress {
        switch webhook.place {
        case .url(let url):
            guard let address = HTTPAddress(url) else { throw SendersError("\(path).url", "is not a URL") }
            return address
        case .file(let file):
            guard let address = HTTPAddress(try files.word(file, for: "\(path).url_file")) else {
                throw SendersError("\(path).url_file", "names \(file), which does not hold a URL of http or https")
            }
            return address
        }
    }

    private static func secrets(
        of webhook: SendersDocument.Webhook, at path: String, _ files: inout NamedSecrets
    ) throws(SendersError) -> (WebhookSecrets, Digest) {
        let path = "\(path).secret_file"
        let bytes = try files.bytes(webhook.secretFile, for: path)
        do throws(WebhookSecretError) {
            return (try WebhookSecrets(String(decoding: bytes, as: UTF8.self)), Digest(of: bytes))
        } catch {
            throw SendersError(path, "names \(webhook.secretFile), which is of no use: \(error)")
        }
    }

    /// Gives up what is under way; `done` is called when all that is over.
    func close(_ done: @escaping @Sendable () -> Void) {
        let left = Countdown(all.count, done)
        for one in all.values { rack.giveBack(one.key) { left.one() } }
    }
}

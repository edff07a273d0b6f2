import CivilTime
import Console
import Dispatch
import Foundation
import Journal
import Notices
import Synchronization

/// The worker's doors: a TCP port, which is open before the log is read and says so until it is, and the Unix socket, which
/// only the log's owner may open.
final class WorkerDoors: Sendable {
    /// Goes on with the answers of all doors that come in pieces.
    private let streams: StreamServer
    private let servers = Mutex<[HTTPServer]>([])
    private let gate: Gate
    /// What was answered at the worker's doors.
    let requests = RequestFigures()
    private let limits: HTTPLimits
    private let clock: @Sendable () -> Instant
    private let log: RunLog
    private let keeper: Doorkeeper

    /// Who answers: at first one who says that the log is being read.
    private final class Gate: Sendable {
        let router: Mutex<Router>

        init(_ router: Router) { self.router = Mutex(router) }
    }

    /// - Parameter keeper: who is let in at the port.
    init(
        _ limits: HTTPLimits, _ keeper: Doorkeeper, clock: @escaping @Sendable () -> Instant, _ log: RunLog
    ) throws(Failure) {
        var streamLimits = StreamLimits()
        let files = FileLimit.raise(
            to: streamLimits.streamsMax + PassedOnStreams.streamsMax + FileLimit.besidesStreams)
        streamLimits.streamsMax = max(
            FileLimit.streamsLeast, min(streamLimits.streamsMax, files - FileLimit.besidesStreams))
        do throws(HTTPServer.Problem) {
            streams = try StreamServer(
                limits: streamLimits, clocks: HTTPClocks(passing: { SuspendingClock.now }, wall: clock))
        } catch {
            throw Failure(.environment, "\(error)")
        }
        self.limits = limits
        self.keeper = keeper
        gate = Gate(Router(Self.replaying(keeper)))
        self.clock = clock
        self.log = log
    }

    /// How many streams are open, and can be.
    var openStreams: @Sendable () -> (open: Int, most: Int) { { [streams] in (streams.count, streams.most) } }

    /// Where it listens, for people.
    func openTCP(_ wanted: ListenAddress) throws(Failure) -> String {
        let socket = try listening { () throws(ListeningProblem) in try .tcp(wanted) }
        try serve(socket, handler(through: .port(keeper)))
        return socket.address
    }

    /// Says of a port that is opened later whether it is taken. Until then nobody listens there: who asks is refused at once, and does not
    /// wait for as long as a log takes to be read.
    func expectFree(_ wanted: ListenAddress) throws(Failure) {
        try listening { () throws(ListeningProblem) in try .tcp(wanted) }.close()
    }

    /// Where it listens for providers and for links in mails.
    func openPublic(_ wanted: ListenAddress, _ service: PublicService) throws(Failure) -> String {
        let socket = try listening { () throws(ListeningProblem) in try .tcp(wanted) }
        var limits = limits
        limits.bodyBytesMax = 1 << 20
        limits.bytesPerAddress = limits.bytesMax / 4
        try serve(socket, PublicRouter(service).handler, limits)
        return socket.address
    }

    /// From now on the service answers at every door. The caller holds the directory's log.
    func open(_ service: Service, in directory: String) throws(Failure) {
        let path = DiskPath.join(directory, LogFile.socket)
        let socket = try listening { () throws(ListeningProblem) in try .unix(path) }
        let router = Router(service)
        gate.router.withLock { $0 = router }
        try serve(socket, handler(through: .socket))
    }

    /// Closes all of them at the same time (see `HTTPServer.stop`); `group` is left when that is done.
    func stop(within patience: Duration, _ group: DispatchGroup) {
        // At once, however long it takes until a thread has time to wait for it.
        streams.end(within: patience)
        DispatchQueue.global(qos: .userInitiated).async(group: group) { [streams] in streams.stop(within: patience) }
        for server in servers.withLock({ $0 }) {
            DispatchQueue.global(qos: .userInitiated).async(group: group) { server.stop(within: patience) }
        }
    }

    private func listening(
        _ open: () throws(ListeningProblem) -> ListeningSocket
    ) throws(Failure) -> ListeningSocket {
        do throws(ListeningProblem) { return try open() } catch { throw Failure(.environment, "\(error)") }
    }

    private func serve(
        _ socket: ListeningSocket, _ handler: HTTPHandler, _ limits: HTTPLimits? = nil
    ) throws(Failure) {
        do throws(HTTPServer.Problem) {
            let server = try HTTPServer(
                on: socket, limits: limits ?? self.limits,
                clocks: HTTPClocks(passing: { SuspendingClock.now }, wall: clock), streams: streams,
                handler: handler.logged(log).counted(requests))
            servers.withLock { $0.append(server) }
        } catch {
            socket.close()
            throw Failure(.environment, "\(error)")
        }
    }

    private func handler(through door: Door) -> HTTPHandler {
        HTTPHandler(
            atOnce: { [gate] head in gate.router.withLock { $0 }.meet(&head, door) },
            answer: { [gate] request, asker, reply in
                gate.router.withLock { $0 }.answer(request, asker, through: door, reply)
            })
    }

    /// Pages are served and operators sign in while the log is read; what is asked of the worker has to wait.
    private static func replaying(_ keeper: Doorkeeper) -> Service {
        var service = Service {
            Health(
                version: Belfry.version, lastSeq: 0, recordedAt: nil, people: 0, waitingJobs: 0, uptimeSeconds: 0,
                whyNotReady: "still replaying")
        }
        // Nothing that waits for a disk can be asked yet.
        service.access = AccessService(keeper) { $0() }
        return service
    }
}

import Journal

/// Gives facts to whoever takes them, and closes the log behind.
enum FactTaking {
    /// - Parameter body: is given the taker, and whether it is a running worker.
    static func with(
        _ directory: String, command: String, _ world: World,
        _ body: (_ taker: any FactTaker, _ isRunning: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        try with(
            directory, command: command, world, running: { worker throws(Failure) in try body(worker, true) },
            alone: { worker throws(Failure) in try body(worker, false) })
    }

    /// - Parameter user: somebody whose log has to be there already. Facts alone begin one.
    static func with<Told>(
        _ directory: String, command: String, knowing user: String? = nil, _ world: World,
        running: (WorkerClient) throws(Failure) -> Told, alone: (LoneWorker) throws(Failure) -> Told
    ) throws(Failure) -> Told {
        switch try taker(for: directory, command, knowing: user, world) {
        case .running(let worker): return try running(worker)
        case .alone(let worker):
            let result = Result { () throws(Failure) in try alone(worker) }
            do throws(Failure) { try worker.close() } catch {
                // What went wrong first says more, and what became of the facts.
                _ = try result.get()
                throw error
            }
            return try result.get()
        }
    }

    private enum Taker {
        case running(WorkerClient)
        case alone(LoneWorker)
    }

    /// The worker that runs on the log, else the log itself. One that is only starting has the lock before it answers, so
    /// it is looked for again while this waits for the lock.
    private static func taker(
        for directory: String, _ command: String, knowing user: String?, _ world: World
    ) throws(Failure) -> Taker {
        if let worker = WorkerClient(directory) { return .running(worker) }
        let patience = LockPatience.short(unless: { WorkerClient(directory) != nil })
        do throws(Failure) {
            if let user {
                let logs = try DataDirectory(directory, on: world.disk).everybodysLogs(on: world.disk)
                _ = try world.log(at: logs.log(of: user))
            }
            return .alone(try LoneWorker(directory, command: command, patience: patience, world))
        } catch {
            if let worker = WorkerClient(directory) { return .running(worker) }
            throw error
        }
    }
}

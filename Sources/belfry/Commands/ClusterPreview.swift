import Console
import Notices

/// What a change of preferences would do, where the log is a cluster's: the worker that keeps the copy asks whoever owns the person.
enum ClusterPreview {
    /// Prints it; `false` where the log is no cluster's, or no worker runs on the copy.
    static func print(
        _ change: JSONValue, about user: String, _ arguments: Arguments, _ world: World
    ) throws(Failure) -> Bool {
        guard try world.directory(arguments).isCopy, let path = PathAndQuery("preview", about: user, []),
            let worker = WorkerClient(World.dataDirectory(arguments))
        else { return false }
        let isJSON = arguments.has(CommandSpec.json)
        PersonCommands.tell(try worker.preview(path, change, wantsText: !isJSON), isJSON: isJSON, world.output)
        return true
    }
}

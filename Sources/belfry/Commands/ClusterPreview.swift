import Console
import Notices

/// What a change of preferences would do, where the log is a cluster's: the worker that keeps the copy asks whoever owns the person.
enum ClusterPreview {
    /// Prints it; `false` where the log is no cluster's, or no worker runs on the copy.
    ///
    /// - Parameter documents: how the whole of it is printed as JSON, a document a line.
    static func print(
        _ change: JSONValue, about user: String, _ arguments: Arguments, _ world: World,
        documents: (JSONValue) -> [JSONValue]
    ) throws(Failure) -> Bool {
        guard try world.directory(arguments).isCopy, let path = PathAndQuery("preview", about: user, []),
            let worker = WorkerClient(World.dataDirectory(arguments))
        else { return false }
        let isJSON = arguments.has(CommandSpec.json)
        let body = try worker.preview(path, change, wantsText: !isJSON)
        guard isJSON else {
            PersonCommands.tell(body, isJSON: false, world.output)
            return true
        }
        guard let whole = JSONValue(parsing: String(decoding: body, as: UTF8.self)) else {
            throw Failure(.environment, "the worker's answer is no JSON")
        }
        for document in documents(whole) { world.output.line { document.write(into: &$0) } }
        return true
    }
}

/// A job's log is another program's by now.
public struct JobElsewhere: Error, CustomStringConvertible {
    public let description: String

    public init(_ words: String) { description = words }
}

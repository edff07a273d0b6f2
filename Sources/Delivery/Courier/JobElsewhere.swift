public import Notices

/// What the address book says of somebody.
public enum BookEntry: Sendable, Equatable {
    case contact(Contact)
    /// They were erased.
    case nobody
    /// Their log is another program's.
    case elsewhere

    /// - Parameter contact: `nil` where nobody is there.
    public init(_ contact: Contact?) { self = contact.map { .contact($0) } ?? .nobody }

    /// Where they can be reached from here.
    var contact: Contact? { if case .contact(let contact) = self { contact } else { nil } }

    /// Their contact, or `nil` where they are gone.
    func here() throws(JobElsewhere) -> Contact? {
        guard self != .elsewhere else { throw JobElsewhere("its person's log is another worker's now") }
        return contact
    }
}

/// A job's log is another program's by now.
public struct JobElsewhere: Error, CustomStringConvertible {
    public let description: String

    public init(_ words: String) { description = words }
}

/// What became of a fact that was told: the one word for it, from the core to whoever told the fact.
public enum FactReceipt: Sendable, Equatable {
    case recorded(seq: UInt64, warnings: [Warning])
    /// A fact of this id, or that tells the same, is in the log already, under this number; nothing was changed.
    case duplicate(of: UInt64)
    case refused(FieldError)
    /// Nothing is wrong with it: one of those it came with was refused, and all or none were to go in.
    case leftOut

    /// The fact's number in the log; `nil` for one that is not there.
    public var seq: UInt64? {
        switch self {
        case .recorded(let seq, warnings: _), .duplicate(let seq): seq
        case .refused, .leftOut: nil
        }
    }
}

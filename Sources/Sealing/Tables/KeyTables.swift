/// The keys of one log in tables of a database, in place of the files `keys` and `keys.table`: the same bytes, the table in one
/// row and each page in one (FORMAT.md).
///
/// Whoever only reads has no say over them. The owner's changes are refused once somebody else has the log; after any failure
/// nobody knows what was written, so the owner takes the log anew and reads them again.
public protocol KeyTables: Sendable {
    /// How sentences name the row with the table, and those with the pages; each begins with `KeyTablesName.prefix`.
    var tableName: String { get }
    var pagesName: String { get }
    /// Whether an owner before may have had commits under way of which nobody knows: numbers that they named people by get
    /// other keys.
    var isInDoubt: Bool { get }

    /// `nil` where the log has no keys.
    func table() throws(KeyTablesError) -> [UInt8]?

    /// Makes this table the one in force, and removes the pages that it does not refer to. Durable when it returns.
    func put(_ change: KeyTableChange) throws(KeyTablesError)

    /// `nil` where there is none.
    func page(_ slot: UInt32) throws(KeyTablesError) -> [UInt8]?

    /// Durable when it returns.
    func put(page: [UInt8], at slot: UInt32) throws(KeyTablesError)
}

/// A table on its way to be the one in force.
public struct KeyTableChange: Sendable {
    public var bytes: [UInt8]
    public var generation: UInt64
    /// The generation of the one that it takes the place of; `nil` for the first. Another is not replaced.
    public var replacing: UInt64?
    /// Where its pages lie.
    public var slots: [UInt32]
    /// How many people's keys are gone with it.
    public var destroyed: Int
}

/// The database could not be asked, or the log is another's now; a sentence says which.
public struct KeyTablesError: Error, Sendable, Equatable {
    public var words: String

    public init(_ words: String) { self.words = words }
}

public enum KeyTablesName {
    /// Tells what lies in a database from files.
    public static let prefix = "belfry.key_"
}

/// Runs what asks the tables, and says so when it is they that failed.
func onTables<Result>(_ body: () throws(KeyTablesError) -> Result) throws(KeyRingError) -> Result {
    do { return try body() } catch { throw .lost(error.words) }
}

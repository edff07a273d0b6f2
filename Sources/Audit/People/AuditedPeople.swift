/// Everybody the judge knows, by number.
///
/// They are looked at where they lie: to ask an element of an array one thing is to copy all that is known of somebody.
struct AuditedPeople {
    private var all: [AuditedPerson] = []

    var count: Int { all.count }
    var indices: Range<Int> { all.indices }

    mutating func append(_ person: AuditedPerson) { all.append(person) }

    subscript(number: Int) -> AuditedPerson {
        _read { yield all.span[number] }
        _modify { yield &all[number] }
    }
}

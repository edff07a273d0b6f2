/// Everybody the judge knows, by number.
///
/// They are looked at where they lie: to ask an element of an array one thing is to copy all that is known of somebody.
struct AuditedPeople {
    private var all: [AuditedPerson] = []

    var count: Int { all.count }
    var indices: Range<Int> { all.indices }

    mutating func append(_ person: AuditedPerson) { all.append(person) }

    /// By address, for as long as the array is asked. What a coroutine yields is read by unoptimised code after the
    /// coroutine has ended.
    subscript(number: Int) -> AuditedPerson {
        unsafeAddress {
            all.withUnsafeBufferPointer { people in
                guard people.indices.contains(number), let first = people.baseAddress else { Self.noSuch(number) }
                return first + number
            }
        }
        unsafeMutableAddress {
            all.withUnsafeMutableBufferPointer { people in
                guard people.indices.contains(number), let first = people.baseAddress else { Self.noSuch(number) }
                return first + number
            }
        }
    }

    private static func noSuch(_ number: Int) -> Never { preconditionFailure("nobody has the number \(number)") }
}

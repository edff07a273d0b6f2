extension Payload {
    /// As it looks to whoever has no key, and how many of its fields that hides.
    public func veiled() -> (payload: Payload, fields: Int) {
        var veiling = Veiling()
        var copy = self
        do throws(FieldError) { try copy.fields(&veiling) } catch {
            preconditionFailure("hiding fields cannot fail: \(error)")
        }
        return (copy, veiling.count)
    }
}

private struct Veiling: FieldVisitor {
    var count = 0

    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {}

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {}

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {}

    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        guard !value.isUnset, value.isSecret else { return }
        value.veil()
        count += 1
    }
}

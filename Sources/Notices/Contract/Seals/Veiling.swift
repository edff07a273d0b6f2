/// A visitor that passes by all fields but those it says something of.
private protocol PassingVisitor: FieldVisitor {}

extension PassingVisitor {
    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {}

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {}

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {}
}

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

private struct Veiling: PassingVisitor {
    var count = 0

    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        guard !value.isUnset, value.isSecret else { return }
        value.veil()
        count += 1
    }
}

// MARK: What somebody is told

extension Payload {
    /// How many of the texts that it tells somebody are erased.
    public var erasedTexts: Int {
        var counting = CountingErased()
        do throws(FieldError) { try show(&counting) } catch {
            preconditionFailure("looking at fields cannot fail: \(error)")
        }
        return counting.count
    }

    /// Without what it tells somebody, and without whether it tells anything. A text goes with the week that it was recorded in, which what
    /// it was made of need not share: where it is erased on either side, words cannot be compared.
    public func wordless() -> Payload {
        var hiding = HidingWords()
        var copy = self
        do throws(FieldError) { try copy.fields(&hiding) } catch {
            preconditionFailure("hiding fields cannot fail: \(error)")
        }
        return copy
    }
}

private struct CountingErased: PassingVisitor, LookingVisitor {
    var count = 0

    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        guard origin == .told, !value.isUnset else { return }
        var veiled = value
        veiled.veil()
        if veiled == value { count += 1 }
    }
}

private struct HidingWords: PassingVisitor {
    mutating func sealed<V: SealedValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ origin: SealedOrigin
    ) throws(FieldError) {
        if origin == .told { value.veil() }
    }
}

extension Payload {
    /// The first name of a notice that it holds.
    public var firstName: NoticeName? {
        var naming = Naming()
        do throws(FieldError) { try show(&naming) } catch {
            preconditionFailure("looking at fields cannot fail: \(error)")
        }
        return naming.first
    }
}

private struct Naming: PassingVisitor, LookingVisitor {
    var first: NoticeName?

    mutating func names<V: NoticeNames>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        first = first ?? value.first
    }
}

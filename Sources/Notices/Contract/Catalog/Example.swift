internal import CivilTime

/// Fills records with plausible values, for the golden files and for tests.
extension Payload {
    public enum Extent: Sendable { case allFields, requiredFields }

    /// This type with every field filled in that the log keeps, or with only those that must be there.
    ///
    /// No two fields of a record hold the same value, so that golden bytes tell two fields of one type apart.
    public func example(_ extent: Extent) -> Payload {
        var filling = ExampleFilling(extent)
        var copy = self
        do { try copy.fields(&filling) } catch { preconditionFailure("filling a record cannot fail: \(error)") }
        return copy
    }
}

private struct ExampleFilling: FieldVisitor {
    let extent: Payload.Extent

    init(_ extent: Payload.Extent) { self.extent = extent }

    mutating func field<V: FieldValue>(
        _ number: Int, _ name: StaticString, _ value: inout V, _ limit: Limit
    ) throws(FieldError) {
        guard extent == .allFields || !V.isOptional else { return }
        let sample = V.sample
        guard limit == .none, let variable = sample as? any Varied else { return value = sample }
        value = variable.varied(by: number) as? V ?? sample
    }

    mutating func derived<V: FieldValue>(_ number: Int, _ name: StaticString, _ value: inout V) throws(FieldError) {
        // Belfry itself works it out or leaves it out: no sender must give it.
        if extent == .allFields { try field(number, name, &value, .none) }
    }

    mutating func transient<V: FieldValue>(_ name: StaticString, _ value: inout V) throws(FieldError) {}
}

/// A type whose sample can be told apart from another field's.
private protocol Varied {
    func varied(by number: Int) -> Self
}

extension Optional: Varied where Wrapped: Varied {
    fileprivate func varied(by number: Int) -> Wrapped? { map { $0.varied(by: number) } }
}

extension Array: Varied where Element: Varied {
    /// Two of them, so that the order shows.
    fileprivate func varied(by number: Int) -> [Element] {
        flatMap { [$0.varied(by: number), $0.varied(by: number + 1)] }
    }
}

extension FlatMap: Varied where Value: Varied {
    fileprivate func varied(by number: Int) -> FlatMap<Value> {
        var varied = self
        for (position, entry) in entries.enumerated() {
            varied[entry.key] = entry.value.varied(by: number)
            varied["more \(position + 1)"] = entry.value.varied(by: number + 1)
        }
        return varied
    }
}

extension Int: Varied {
    fileprivate func varied(by number: Int) -> Int { self * 10 + number }
}

extension Instant: Varied {
    fileprivate func varied(by number: Int) -> Instant { advanced(byMilliseconds: Int64(number) * 3_600_123) }
}

extension Identifier: Varied {
    fileprivate func varied(by number: Int) -> Identifier { Identifier("sample:\(number)") }
}

extension NoticeName: Varied {
    fileprivate func varied(by number: Int) -> NoticeName { NoticeName("\(text)~\(number)") }
}

extension Text: Varied {
    fileprivate func varied(by number: Int) -> Text { Text("\(text) \u{1F514}\(number)") }
}

extension Token: Varied {
    fileprivate func varied(by number: Int) -> Token { Token("\(text)-\(number)") }
}

extension LocalSlot: Varied {
    fileprivate func varied(by number: Int) -> LocalSlot { LocalSlot("2026-03-0\(number % 9 + 1)T09:00") }
}

/// Each field another word, so that most words stand in some golden file.
extension Varied where Self: Enumeration {
    fileprivate func varied(by number: Int) -> Self { Self(rawValue: number % Self.names.count + 1) ?? self }
}

extension ConsentGiver: Varied {}
extension PermissionStatus: Varied {}
extension Platform: Varied {}
extension PushProvider: Varied {}
extension AddressForm: Varied {}
extension PushEnvironment: Varied {}
extension ReportStatus: Varied {}
extension Unsubscription: Varied {}
extension GoalOutcome: Varied {}
extension Priority: Varied {}
extension Channel: Varied {}
extension AnalysisTrigger: Varied {}
extension AnalysisSource: Varied {}
extension Reason: Varied {}
extension KnownPhone: Varied {}

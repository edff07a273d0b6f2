import Notices
import CivilTime

/// Everything there is in a value, private fields and boxes too, as a text to compare by.
func described(_ value: Any) -> String {
    // A zone is its name; its tables are long.
    if let zone = value as? ZoneRules { return zone.name }
    // Nothing may be kept apart, or not be there.
    if let holder = value as? any HoldsApart { return described(holder.held) }
    var mirror: Mirror? = Mirror(reflecting: value)
    guard let first = mirror, first.displayStyle != nil else { return "\(value)" }
    var parts: [String] = []
    while let level = mirror {
        for child in level.children where !isRemembered(child.label, of: level) {
            parts.append("\(child.label ?? ""):\(described(child.value))")
        }
        mirror = level.superclassMirror
    }
    if parts.isEmpty { return "\(value)" }
    switch first.displayStyle {
    case .dictionary, .set: parts.sort()
    default: break
    }
    return "\(first.subjectType)(\(parts.joined(separator: " ")))"
}

private protocol HoldsApart {
    var held: Any { get }
}

extension Apart: HoldsApart {
    fileprivate var held: Any { wrappedValue }
}

/// What preferences were worked out from is kept to work out the next ones sooner: the same ones may have come from another
/// document.
private func isRemembered(_ label: String?, of value: Mirror) -> Bool {
    value.subjectType == Preferences.self && label == "origin"
}

internal import CivilTime

/// One object of a preferences document, read member by member: `nil` for what is left out, is `null` (the default), or
/// cannot be read, which is noted.
extension PreferenceLayer {
    struct Part {
        typealias Notes = [Note]

        let value: JSONValue
        let path: [String]
        private let shape: PreferenceShape

        /// `nil` for what is no object; members that do not belong are noted.
        init?(_ value: JSONValue, _ path: [String], _ shape: PreferenceShape, _ notes: inout Notes) {
            self.value = value
            self.path = path
            self.shape = shape
            guard value.isObject else {
                notes.append(
                    Note(path: path, value: value, error: located(FieldError("\(value.shown) is not an object"))))
                return nil
            }
            guard case .object(let fields) = shape else { return }
            guard value.members.contains(where: { !shape.names($0.key) }) else { return }
            for member in entries where !shape.names(member.key) {
                let error = FieldError(path: shownKey(member.key), PreferenceShape.unknown(known: fields.map(\.name)))
                notes.append(Note(path: path + [member.key], value: member.value, error: located(error)))
            }
        }

        /// An error of something in this object, with its place in the document.
        func located(_ error: FieldError) -> FieldError {
            path.reversed().reduce(error) { $0.under(shownKey($1)) }
        }

        /// The members by their keys, so that equal objects are read in one order.
        var entries: [JSONValue.Member] { value.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }

        // MARK: Objects inside

        func part(_ name: String, _ notes: inout Notes) -> Part? {
            shape[name].flatMap { part(name, $0, &notes) }
        }

        func part(_ name: String, _ shape: PreferenceShape, _ notes: inout Notes) -> Part? {
            // Most documents say little: what they leave out is not looked for any further.
            guard let inner = value[name], inner != .null else { return nil }
            return Part(inner, path + [name], shape, &notes)
        }

        func entry(_ member: JSONValue.Member, _ shape: PreferenceShape, _ notes: inout Notes) -> Part? {
            guard member.value != .null else { return nil }
            return Part(member.value, path + [member.key], shape, &notes)
        }

        // MARK: Values

        /// - Parameter own: another shape than the document's.
        func read(_ name: String, as own: PreferenceShape? = nil, _ notes: inout Notes) -> JSONValue? {
            guard let inner = value[name], inner != .null, let shape = own ?? shape[name] else { return nil }
            do {
                try shape.check(inner)
                return inner
            } catch {
                notes.append(
                    Note(path: path + [name], value: inner, error: located(error.under(shownKey(name)))))
                return nil
            }
        }

        func bool(_ name: String, as shape: PreferenceShape? = nil, _ notes: inout Notes) -> Bool? {
            read(name, as: shape, &notes)?.bool
        }

        func word(_ name: String, _ notes: inout Notes) -> String? { read(name, &notes)?.string }

        func words(_ name: String, _ notes: inout Notes) -> [String]? {
            read(name, &notes)?.elements?.compactMap(\.string)
        }

        func time(_ name: String, _ notes: inout Notes) -> LocalTime? {
            read(name, &notes)?.time
        }

        func days(_ name: String, _ notes: inout Notes) -> WeekdaySet? {
            read(name, &notes)?.days
        }

        func number(_ name: String, _ notes: inout Notes) -> Int? { read(name, &notes)?.integer }

        func slots(_ name: String, _ notes: inout Notes) -> [PreferenceFields.Slot]? {
            read(name, &notes)?.elements?.compactMap { slot in
                let times = (slot.elements ?? []).compactMap { $0.string.flatMap { LocalTime($0) } }
                return times.count == 2 ? PreferenceFields.Slot(start: times[0], end: times[1]) : nil
            }
        }
    }
}

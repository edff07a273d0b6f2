extension Policy {
    /// All that keeps a document from being read, with where each stands in it; nothing for one that can be.
    ///
    /// The reader ends at the first problem. What it is about is taken out, and the rest is read again.
    public static func problems(reading text: String) throws(JSONError) -> [FieldError] {
        var reading = ReadingOn()
        var text = text
        while reading.found.count < ReadingOn.most {
            do throws(Refusal) {
                _ = try Policy(recorded: text)
                return reading.found
            } catch {
                switch error {
                case .notJSON(let problem):
                    guard reading.found.isEmpty else { return reading.found }
                    throw problem
                case .field(let problem):
                    guard let rest = reading.takeOut(problem, of: text) else { return reading.found }
                    text = rest
                }
            }
        }
        return reading.found
    }
}

/// What was found in a document so far, and what was taken out of it for that.
private struct ReadingOn {
    private enum Step: Equatable {
        case key(String)
        case index(Int)
    }

    var found: [FieldError] = []
    /// What every document needs and this one lacks; something stands in for it, so that the rest can be read.
    private var stoodIn: Set<String> = []
    /// By the path of a list: which of its elements are gone, as they were counted at first.
    private var gone: [String: [Int]] = [:]

    static let most = 50

    /// The document without what the problem is about; `nil` where that cannot be told, or is all of it.
    mutating func takeOut(_ problem: FieldError, of text: String) -> String? {
        guard var steps = Self.steps(problem.path), let document = JSONValue(parsing: text) else {
            found.append(problem)
            return nil
        }
        let path = path(of: steps)
        // What was taken out is missing now, which is no other problem.
        if !found.contains(where: { $0.path == path }) { found.append(FieldError(path: path, problem.problem)) }
        // What is missing is a problem of what it is missing from.
        while !steps.isEmpty, Self.value(at: steps[...], of: document) == nil { steps.removeLast() }
        guard let last = steps.last else { return standIn(problem.path, document)?.text }
        if case .index(let index) = last {
            let list = self.path(of: steps.dropLast())
            gone[list, default: []].append(first(index, of: list))
        }
        return Self.without(steps[...], document).text
    }

    /// What no document is read without.
    private static let needed: [String: JSONValue] = ["name": .string("unnamed"), "kinds": .array([])]

    /// The document with something in the place of what it lacks; `nil` where there is nothing that would help.
    private mutating func standIn(_ key: String, _ document: JSONValue) -> JSONValue? {
        guard case .object(let members) = document, let value = Self.needed[key], stoodIn.insert(key).inserted else {
            return nil
        }
        return .object(members + [.init(key, value)])
    }

    // MARK: Paths

    /// As the document was written.
    private func path(of steps: [Step]) -> String {
        var path = ""
        for step in steps {
            switch step {
            case .key(let key): path += path.isEmpty ? key : ".\(key)"
            case .index(let index): path += "[\(first(index, of: path))]"
            }
        }
        return path
    }

    private func first(_ index: Int, of list: String) -> Int {
        gone[list, default: []].sorted().reduce(index) { $1 <= $0 ? $0 + 1 : $0 }
    }

    /// `nil` for what names nothing, or has keys that are not written as words.
    private static func steps(_ path: String) -> [Step]? {
        var steps: [Step] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            if let key = pieces.first, !key.isEmpty { steps.append(.key(String(key))) }
            for piece in pieces.dropFirst() {
                guard piece.hasSuffix("]"), let index = Int(piece.dropLast()) else { return nil }
                steps.append(.index(index))
            }
        }
        return steps.isEmpty ? nil : steps
    }

    private static func value(at steps: ArraySlice<Step>, of value: JSONValue) -> JSONValue? {
        guard let step = steps.first else { return value }
        switch (step, value) {
        case (.key(let key), .object(let members)):
            return members.first { $0.key == key }.flatMap { Self.value(at: steps.dropFirst(), of: $0.value) }
        case (.index(let index), .array(let elements)):
            guard elements.indices.contains(index) else { return nil }
            return Self.value(at: steps.dropFirst(), of: elements[index])
        case (.key, _), (.index, _): return nil
        }
    }

    private static func without(_ steps: ArraySlice<Step>, _ value: JSONValue) -> JSONValue {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch (step, value) {
        case (.key(let key), .object(var members)):
            guard let place = members.firstIndex(where: { $0.key == key }) else { return value }
            if rest.isEmpty {
                members.remove(at: place)
            } else {
                members[place].value = without(rest, members[place].value)
            }
            return .object(members)
        case (.index(let index), .array(var elements)):
            guard elements.indices.contains(index) else { return value }
            if rest.isEmpty { elements.remove(at: index) } else { elements[index] = without(rest, elements[index]) }
            return .array(elements)
        case (.key, _), (.index, _): return value
        }
    }
}

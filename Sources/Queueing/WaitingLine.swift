/// A first-in, first-out queue. It releases an element as soon as it leaves, and it does not grow for ever if it is
/// never empty.
///
/// An array slice does neither: it keeps alive what was taken off its front until the array is reallocated.
public struct WaitingLine<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - head }
    @inlinable public var isEmpty: Bool { count == 0 }
    @inlinable public var first: Element? { head < elements.count ? elements[head] : nil }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    @inlinable public mutating func append(contentsOf more: some Sequence<Element>) {
        for element in more { elements.append(element) }
    }

    @inlinable public mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            // Moving half of it costs one step for each that has left.
            if head == elements.count {
                elements.removeAll(keepingCapacity: elements.count < 4096)
                head = 0
            } else if head >= 4096, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    /// Takes out those of which it is so, in order. Costs a look at each.
    public mutating func take(where isTaken: (Element) -> Bool) -> [Element] {
        guard elements[head...].contains(where: { $0.map(isTaken) ?? false }) else { return [] }
        var (taken, kept): ([Element], [Element?]) = ([], [])
        for element in elements[head...].lazy.compactMap({ $0 }) {
            if isTaken(element) { taken.append(element) } else { kept.append(element) }
        }
        (elements, head) = (kept, 0)
        return taken
    }

    /// All that wait, in order.
    public var elementsLeft: some Sequence<Element> { prefix(count) }

    /// The first ones, in order.
    public func prefix(_ limit: Int) -> some Sequence<Element> {
        elements[head..<head + min(count, limit)].lazy.compactMap { $0 }
    }
}

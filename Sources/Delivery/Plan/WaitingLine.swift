/// First come, first served. What has left is let go of, so that a line that is never empty does not grow for ever.
struct WaitingLine<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func append(contentsOf more: some Sequence<Element>) {
        for element in more { elements.append(element) }
    }

    mutating func popFirst() -> Element? {
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

    /// The first ones, in order.
    func prefix(_ limit: Int) -> some Sequence<Element> {
        elements[head..<min(elements.count, head + limit)].lazy.compactMap { $0 }
    }
}

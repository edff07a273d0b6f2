import Testing

@testable import Notices

@Suite("What few people have, kept apart")
struct ApartTests {
    struct Pair: Blank {
        var number = 0
        var text = ""
    }

    struct Holder {
        @Apart var pair: Pair
    }

    @Test func `there is nothing until something is said, and it takes a word`() {
        var holder = Holder()
        #expect(holder.pair == Pair())
        holder.pair.number = 3
        holder.pair.text = "three"
        #expect(holder.pair == Pair(number: 3, text: "three"))
        holder.pair = Pair()
        #expect(holder.pair == Pair())
        #expect(MemoryLayout<Apart<Pair>>.size == MemoryLayout<Int>.size)
    }

    @Test func `copies share it until one of them is changed`() {
        var first = Holder()
        first.pair = Pair(number: 1, text: "one")
        var second = first
        second.pair.number = 2
        #expect(first.pair == Pair(number: 1, text: "one"))
        #expect(second.pair == Pair(number: 2, text: "one"))
        first.pair.text = "uno"
        let third = first
        first.pair = Pair()
        #expect(second.pair == Pair(number: 2, text: "one"))
        #expect(third.pair == Pair(number: 1, text: "uno"))
        #expect(first.pair == Pair())
    }
}

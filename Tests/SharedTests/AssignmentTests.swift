import Shared
import Simulation
import Testing

@Suite("M2: who a partition belongs to")
struct RendezvousTests {
    private func workers(_ count: Int, _ random: inout SeededRandom) -> [WorkerID] {
        (0..<count).map { _ in WorkerID(words: (random.next(), random.next())) }
    }

    @Test(arguments: 0..<50) func `all come to the same answer, in whatever order they hear of each other`(seed: UInt64)
    {
        var random = SeededRandom(seed: seed)
        let all = workers(1 + Int(random.next() % 9), &random)
        for partition in Partition.everyone..<64 {
            let owner = Rendezvous.owner(of: partition, among: all)
            #expect(owner == Rendezvous.owner(of: partition, among: all.shuffled(using: &random)))
        }
        #expect(Rendezvous.owner(of: 0, among: []) == nil)
    }

    @Test(arguments: 0..<50) func `where one goes or comes, only its own partitions change hands`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let all = workers(2 + Int(random.next() % 8), &random)
        let gone = all[0]
        for partition in Partition.everyone..<256 {
            let before = Rendezvous.owner(of: partition, among: all)
            let after = Rendezvous.owner(of: partition, among: all.dropFirst())
            #expect(before == gone || before == after)
        }
    }

    @Test(arguments: 0..<20) func `the shares are about equal`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let all = workers(4, &random)
        var shares: [WorkerID: Int] = [:]
        for partition in 0..<1024 { shares[Rendezvous.owner(of: partition, among: all) ?? all[0], default: 0] += 1 }
        for worker in all { #expect((190...325).contains(shares[worker] ?? 0)) }
    }

    @Test(arguments: 0..<50) func `a name that is drawn from several leaves nobody without, of few partitions too`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var all: [WorkerID] = []
        let partitions = Partition.everyone..<8
        for count in 1...3 {
            let names = workers(32, &random)
            all.append(Rendezvous.fairest(of: names, beside: all, partitions: partitions) ?? names[0])
            let shares = Dictionary(grouping: partitions) { Rendezvous.owner(of: $0, among: all) }.mapValues(\.count)
            #expect(shares.count == count && shares.values.allSatisfy { $0 <= 9 / count + 2 }, "\(shares)")
        }
        #expect(Rendezvous.fairest(of: [], beside: all, partitions: partitions) == nil)
    }

    @Test(arguments: 0..<50)
    func `workers that come at the same time draw until each has at least half of an even share`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        let partitions = (Partition.everyone..<2 + Int(random.next() % 20)).map {
            PartitionState(number: $0, epoch: 0, owner: nil, since: 0)
        }
        // None of them has seen another.
        var names = workers(2 + Int(random.next() % 3), &random)
        func view() -> ClusterView {
            ClusterView(
                now: 0, partitions: partitions, workers: names.map { WorkerState(id: $0, url: "", aliveUntil: 1) })
        }
        func isLeftShort(_ name: WorkerID) -> Bool {
            Assignment(for: name, lifetime: .seconds(6)).isLeftShort(in: view())
        }
        for _ in 0..<20 {
            for place in names.indices where isLeftShort(names[place]) {
                names.remove(at: place)
                let drawn = workers(32, &random)
                let numbers = partitions.map(\.number)
                names.insert(
                    Rendezvous.fairest(of: drawn, beside: names, partitions: numbers) ?? drawn[0], at: place)
            }
        }
        let shares = Dictionary(grouping: partitions) { Rendezvous.owner(of: $0.number, among: names) }
        for name in names {
            #expect((shares[name]?.count ?? 0) * 2 >= partitions.count / names.count, "\(seed): \(shares)")
        }
    }

    @Test func `the scores are for ever, because workers of two versions must agree`() {
        let workers = (1...3).map { WorkerID(words: (UInt64($0), 0)) }
        let owners = (-1..<12).map { Rendezvous.owner(of: $0, among: workers)?.words.0 ?? 0 }
        #expect(owners == [2, 3, 2, 1, 1, 3, 2, 3, 1, 3, 3, 3, 2])
    }

    @Test func `where a person's events lie is for ever`() {
        #expect(
            ["", "ada", "grace", "u-1", "Ünïcode", "a/b"].map { Partition.of($0, among: 64) } == [
                27, 29, 54, 61, 55, 45,
            ])
        #expect(Partition.of("ada", among: 1) == 0)
        var counts = [Int](repeating: 0, count: 64)
        for number in 0..<64_000 { counts[Partition.of("user-\(number)", among: 64)] += 1 }
        #expect(counts.allSatisfy { (850...1150).contains($0) })
    }
}

@Suite("M2, M4: the moves of a worker")
struct AssignmentTests {
    private let lifetime = Duration.seconds(6)

    /// Workers that move on one view of a database, each in its turn.
    private struct Town {
        var now: Int64 = 1_000_000
        var partitions: [PartitionState]
        var living: [WorkerID] = []
        var leaving: Set<WorkerID> = []
        var dead: [WorkerID] = []

        init(partitions count: Int) {
            partitions = (Partition.everyone..<count).map {
                PartitionState(number: $0, epoch: 0, owner: nil, since: 0)
            }
        }

        var view: ClusterView {
            let workers =
                living.map { WorkerState(id: $0, url: "", aliveUntil: now + 1, isLeaving: leaving.contains($0)) }
                + dead.map { WorkerState(id: $0, url: "", aliveUntil: now - 1) }
            return ClusterView(now: now, partitions: partitions, workers: workers)
        }

        var boot: BootInstant { BootInstant(nanoseconds: now * 1_000_000) }

        mutating func make(_ moves: [Move], by worker: WorkerID) {
            for move in moves {
                switch move {
                case .handOver(let number, let epoch, let target):
                    change(number) { partition in
                        #expect(partition.owner == worker && partition.epoch == epoch)
                        partition.owner = target
                    }
                case .take(let seen):
                    let living = living
                    change(seen.number) { partition in
                        #expect(partition.owner.map { !living.contains($0) } ?? true, "taken from the living")
                        partition.owner = worker
                    }
                }
            }
        }

        private mutating func change(_ number: Int, _ body: (inout PartitionState) -> Void) {
            guard let place = partitions.firstIndex(where: { $0.number == number }) else { return }
            var partition = partitions[place]
            body(&partition)
            partition.epoch += 1
            partitions[place] = partition
        }

        var isSettled: Bool {
            partitions.allSatisfy { $0.owner == Rendezvous.owner(of: $0.number, among: living) }
        }
    }

    @Test func `whoever owns something, or is leaving, keeps its name however little it is dealt`() throws {
        let other = WorkerID(words: (7, 7))
        let few = try #require(
            (1...1000).lazy.map { WorkerID(words: ($0, 1)) }.first { name in
                (Partition.everyone..<2).allSatisfy { Rendezvous.owner(of: $0, among: [name, other]) == other }
            })
        var town = Town(partitions: 2)
        town.living = [few, other]
        let mind = Assignment(for: few, lifetime: lifetime)
        #expect(mind.isLeftShort(in: town.view))
        town.leaving = [few]
        #expect(!mind.isLeftShort(in: town.view))
        town.leaving = []
        town.partitions[0].owner = few
        #expect(!mind.isLeftShort(in: town.view))
    }

    @Test(arguments: 0..<100) func `whoever comes, goes or dies, all partitions soon lie where they belong`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var town = Town(partitions: 24)
        var minds: [WorkerID: Assignment] = [:]
        for _ in 0..<12 {
            let fresh = WorkerID(words: (random.next(), random.next()))
            if town.living.count < 2 || random.next() % 2 == 0 {
                town.living.append(fresh)
                minds[fresh] = Assignment(for: fresh, lifetime: lifetime)
            } else {
                town.dead.append(town.living.remove(at: Int(random.next() % UInt64(town.living.count))))
            }
            var rounds = 0
            while !town.isSettled {
                rounds += 1
                #expect(rounds <= 25, "seed \(seed)")
                if rounds > 25 { return }
                for worker in town.living.shuffled(using: &random) {
                    let moves = minds[worker]?.moves(in: town.view, at: town.boot) ?? []
                    #expect(moves.count <= Assignment.movesMax)
                    town.make(moves, by: worker)
                }
                town.now += 2000
            }
            // Nothing moves any more.
            for worker in town.living { #expect(minds[worker]?.moves(in: town.view, at: town.boot) == []) }
        }
    }

    @Test func `what its own takes does not take is taken by anybody after two lifetimes`() throws {
        var town = Town(partitions: 8)
        let (lazy, other) = (WorkerID(words: (1, 1)), WorkerID(words: (2, 2)))
        town.living = [lazy, other]
        var mind = Assignment(for: other, lifetime: lifetime)
        let others = town.partitions.map(\.number).filter { Rendezvous.owner(of: $0, among: town.living) == lazy }
        #expect(!others.isEmpty)
        func taken(_ moves: [Move]) -> Set<Int> {
            Set(moves.compactMap { if case .take(let partition) = $0 { partition.number } else { nil } })
        }
        #expect(taken(mind.moves(in: town.view, at: town.boot)).isDisjoint(with: others))
        town.now += 11_999
        #expect(taken(mind.moves(in: town.view, at: town.boot)).isDisjoint(with: others))
        town.now += 1
        let own = Set(town.partitions.map(\.number)).subtracting(others)
        for number in own {
            town.make([.take(try #require(town.partitions.first { $0.number == number }))], by: other)
        }
        #expect(!taken(mind.moves(in: town.view, at: town.boot)).isDisjoint(with: others))
    }

    @Test func `after an outage of the database nobody takes from those who have not renewed yet`() {
        var town = Town(partitions: 4)
        let (silent, me) = (WorkerID(words: (1, 1)), WorkerID(words: (2, 2)))
        town.living = [me]
        town.dead = [silent]
        for place in town.partitions.indices { town.partitions[place].owner = place == 0 ? nil : silent }
        var mind = Assignment(for: me, lifetime: lifetime)
        mind.databaseReturned(at: town.boot)
        // What has no owner at all waits for nobody.
        #expect(mind.moves(in: town.view, at: town.boot) == [.take(town.partitions[0])])
        town.now += 5999
        #expect(mind.moves(in: town.view, at: town.boot).count == 1)
        town.now += 3001
        #expect(mind.moves(in: town.view, at: town.boot).count == 4)
    }

    @Test func `whoever leaves gives away all it has, a few at a time, and takes nothing`() {
        var town = Town(partitions: 8)
        let (leaving, staying) = (WorkerID(words: (1, 1)), WorkerID(words: (2, 2)))
        (town.living, town.leaving) = ([leaving, staying], [leaving])
        for place in town.partitions.indices { town.partitions[place].owner = place < 7 ? leaving : nil }
        var mind = Assignment(for: leaving, lifetime: lifetime)
        var given = 0
        while case let moves = mind.moves(in: town.view, at: town.boot), !moves.isEmpty {
            #expect(moves.count <= Assignment.movesMax)
            given += moves.count
            town.make(moves, by: leaving)
        }
        #expect(given == 7)
        #expect(town.partitions.filter { $0.owner == staying }.count == 7)
        // Who stays gives nothing back.
        var other = Assignment(for: staying, lifetime: lifetime)
        #expect(!other.moves(in: town.view, at: town.boot).contains { if case .handOver = $0 { true } else { false } })
    }

    @Test func `where all leave, all have what they had, and what nobody has is taken all the same`() {
        var town = Town(partitions: 8)
        let (one, other) = (WorkerID(words: (1, 1)), WorkerID(words: (2, 2)))
        (town.living, town.leaving) = ([one, other], [one, other])
        for place in town.partitions.indices where place > 0 {
            town.partitions[place].owner = Rendezvous.owner(of: town.partitions[place].number, among: town.living)
        }
        let orphan = town.partitions[0]
        let taker = Rendezvous.owner(of: orphan.number, among: town.living)
        for worker in town.living {
            var mind = Assignment(for: worker, lifetime: lifetime)
            #expect(mind.moves(in: town.view, at: town.boot) == (worker == taker ? [.take(orphan)] : []))
        }
    }

    /// However many there are, the rest is taken, and another worker has them after two lifetimes.
    @Test func `what is left alone here is taken by another, and keeps nothing else waiting`() {
        func taken(_ moves: [Move]) -> Set<Int> {
            Set(moves.compactMap { if case .take(let partition) = $0 { partition.number } else { nil } })
        }
        var town = Town(partitions: 24)
        let (me, other) = (WorkerID(words: (1, 1)), WorkerID(words: (2, 2)))
        town.living = [me, other]
        let dealt = town.partitions.map(\.number).filter { Rendezvous.owner(of: $0, among: town.living) == me }
        var (mind, others) = (Assignment(for: me, lifetime: lifetime), Assignment(for: other, lifetime: lifetime))
        for place in town.partitions.indices where !dealt.contains(town.partitions[place].number) {
            town.partitions[place].owner = other
        }
        let (spared, rest) = (Set(dealt.dropLast()), dealt.suffix(1))
        #expect(spared.count >= Assignment.movesMax)
        #expect(taken(mind.moves(in: town.view, at: town.boot, sparing: spared)) == Set(rest))
        #expect(others.moves(in: town.view, at: town.boot) == [])
        town.now += 12_000
        #expect(taken(mind.moves(in: town.view, at: town.boot, sparing: spared)) == Set(rest))
        #expect(!taken(others.moves(in: town.view, at: town.boot)).isEmpty)
    }

    @Test func `what is under way counts, and a worker that is not alive moves nothing`() {
        var town = Town(partitions: 8)
        let me = WorkerID(words: (1, 1))
        town.living = [me]
        var mind = Assignment(for: me, lifetime: lifetime)
        let moves = mind.moves(in: town.view, at: town.boot, underway: [-1, 0, 1])
        #expect(moves == [.take(town.partitions[3])])
        town.living = []
        #expect(mind.moves(in: town.view, at: town.boot) == [])
    }
}

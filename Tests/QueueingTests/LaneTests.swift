import Dispatch
import Queueing
import Synchronization
import Testing

/// `G11`: one sort of work does not wait for another.
@Suite("Lanes")
struct LaneTests {
    /// Keeps every thread of a lane busy until it is let go.
    private func occupy(_ lane: Lane, threads: Int) -> DispatchSemaphore {
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<threads {
            let isTaken = lane.take {
                begun.signal()
                end.wait()
            }
            #expect(isTaken)
            begun.wait()
        }
        return end
    }

    @Test func `a lane that is busy keeps no other waiting, nor the queues of Dispatch`() {
        let busy = Lane("busy", threads: 8, waitingMax: 8, priority: .behindOthers)
        let end = occupy(busy, threads: 8)
        let done = DispatchSemaphore(value: 0)
        let isTaken = Lane("free", threads: 1, waitingMax: 1).take { done.signal() }
        #expect(isTaken)
        done.wait()
        DispatchQueue(label: "free", attributes: .concurrent).async { done.signal() }
        done.wait()
        for _ in 0..<8 { end.signal() }
    }

    @Test func `so much waits and no more, and all of it is done in its order`() {
        let done = DispatchSemaphore(value: 0)
        let order = Mutex<[Int]>([])
        do {
            let lane = Lane("short", threads: 1, waitingMax: 3)
            let end = occupy(lane, threads: 1)
            let taken = (0..<5).map { number in
                lane.take {
                    order.withLock { $0.append(number) }
                    done.signal()
                }
            }
            #expect(taken == [true, true, true, false, false])
            end.signal()
            done.wait()
        }
        // The lane has gone; what it had taken is done all the same.
        for _ in 0..<2 { done.wait() }
        #expect(order.withLock { $0 } == [0, 1, 2])
    }
}

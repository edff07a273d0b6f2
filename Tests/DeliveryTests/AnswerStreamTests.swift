import Foundation
import Synchronization
import Testing

@testable import Delivery

/// Answers that are read while they come: what a worker reads of another's streams.
@Suite("An answer that is read as it comes", .unlessItHangs, .enabled(if: Python.path != nil))
struct AnswerStreamTests {
    private let pool = HTTPPool(concurrency: 4, waitingMax: 0)
    private let begun = Awaited<AnswerStream>()
    private let replies = Awaited<Result<HTTPAnswer, HTTPFailure>>()

    private func open(_ receiver: Receiver, _ path: String) {
        var call = HTTPCall(
            .post, receiver.url(path), patience: .init(connectMs: 600_000, totalMs: 0), answerBytesMax: 1000)
        call.stream = AnswerStream { [begun] stream, _ in begun.append(contentsOf: [stream]) }
        pool.ask(call) { [replies] in replies.append(contentsOf: [$0]) }
    }

    /// Everything to its end, piece by piece.
    private func readAll(_ stream: AnswerStream) async -> (bytes: [UInt8], largest: Int, end: AnswerStream.Next) {
        let (news, bell) = AsyncStream<Void>.makeStream()
        stream.begin { bell.yield() }
        var (bytes, largest): ([UInt8], Int) = ([], 0)
        for await _ in news {
            while true {
                switch stream.next() {
                case .piece(let piece):
                    bytes += piece
                    largest = max(largest, piece.count)
                    continue
                case .nothing: break
                case let end: return (bytes, largest, end)
                }
                break
            }
        }
        return (bytes, largest, .nothing)
    }

    @Test func `a reader who takes nothing holds the server up, and then has every byte once`() async throws {
        let receiver = try Receiver()
        open(receiver, "long")
        let stream = try #require(try await begun.first(1).first)
        while !stream.isFull, replies.values.isEmpty { sched_yield() }
        #expect(replies.values.isEmpty)
        let (bytes, largest, end) = await readAll(stream)
        #expect(bytes.count == 8 << 20 && end == .end)
        #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8($0 / 4096 % 251) })
        #expect(largest <= AnswerStream.bytesMax + (64 << 10), "\(largest)")
        #expect(try await replies.first(1).first?.get().status == 200)
    }

    @Test func `a server that is waited for no longer breaks the stream behind what has come`() async throws {
        let receiver = try Receiver()
        open(receiver, "long")
        let stream = try #require(try await begun.first(1).first)
        while !stream.isFull, replies.values.isEmpty { sched_yield() }
        stream.breakOff()
        let (bytes, _, end) = await readAll(stream)
        #expect(end == .broken && !bytes.isEmpty && bytes.count < 8 << 20)
        #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8($0 / 4096 % 251) })
    }

    @Test func `what breaks does not look like an end`() async throws {
        let receiver = try Receiver()
        open(receiver, "cut")
        let (bytes, _, end) = await readAll(try #require(try await begun.first(1).first))
        #expect(bytes.count == 1000 && end == .broken)
    }

    @Test func `a reader who goes ends the call, also one that is held up`() async throws {
        let receiver = try Receiver()
        open(receiver, "huge")
        let stream = try #require(try await begun.first(1).first)
        while !stream.isFull { sched_yield() }
        stream.close()
        guard case .failure(let failure) = try await replies.first(1).first else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.reason == .cancelled)
        #expect(stream.next() == .broken)
    }

    @Test func `another answer than 200 comes whole, with the reply alone`() async throws {
        let receiver = try Receiver()
        open(receiver, "slow-down")
        let answer = try await replies.first(1).first?.get()
        #expect(answer?.status == 429 && answer?.headers["Retry-After"] == "7" && begun.values.isEmpty)
    }
}

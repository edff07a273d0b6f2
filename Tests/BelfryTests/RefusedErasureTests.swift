import Delivery
import Foundation
import Testing

@Suite("E1: an erasure that cannot begin")
struct RefusedErasureTests {
    private let shell = Shell()

    @Test func `where their tokens cannot be revoked nobody is erased, and that is in no doubt`() throws {
        let worker = shell.start(["run"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        #expect(door.append(fact("user_enrolled", user: "anna", data: #"{"timezone":"UTC"}"#))?.status == 200)
        // A folder takes no line.
        let file = shell.path("events/log/person-tokens.revoked")
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file + "/in-the-way", withIntermediateDirectories: true)
        let answer = try #require(door.post("v1/people/anna/erase", #"{"user":"anna"}"#))
        #expect(answer.status == 500 && answer.text.contains("so nobody was erased: "), "\(answer.text)")
        #expect(!answer.text.contains("in_doubt"))
        #expect(door.get("v1/people/anna/state")?.status == 200)
        try FileManager.default.removeItem(atPath: file)
        #expect(door.post("v1/people/anna/erase", #"{"user":"anna"}"#)?.status == 200)
        worker.expectStopped()
    }
}

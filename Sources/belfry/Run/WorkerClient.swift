import Foundation
import Worker
struct WorkerClient {
    init?(_ directory: String) { return nil }
    func run(_ order: Worker.RunOrder) throws(Failure) -> [[UInt8]] { [] }
}

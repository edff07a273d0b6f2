import Foundation
import Journal
import Sealing

/// Where the logs of the benchmark lie. With BELFRY_SEALS=1 what tells who people are is sealed in them (`E2`).
let logDisk = RealDisk(
    keys: ProcessInfo.processInfo.environment["BELFRY_SEALS"] == "1" ? LogKeys(.own) : nil)

// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "belfry",
    dependencies: [],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CProcessor", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CivilTime", swiftSettings: strict),
        .target(
            name: "Notices", dependencies: ["CivilTime"],
            exclude: ["Policy/POLICY.md"],
            resources: ["standard", "coachme", "screentime", "messageai", "microcommit"].map {
                .embedInCode("Policy/Shipped/\($0).json")
            },
            swiftSettings: strict),
        .target(
            name: "Journal", dependencies: ["CivilTime", "Notices", "CProcessor", "COpenSSL"], exclude: ["FORMAT.md"],
            swiftSettings: strict),
        .target(name: "Worker", dependencies: ["CivilTime", "Notices"], swiftSettings: strict),
        .target(name: "Audit", dependencies: ["CivilTime", "Notices"], swiftSettings: strict),
        .executableTarget(
            name: "belfry", dependencies: ["CivilTime", "Notices", "Journal", "Worker", "Audit"],
            swiftSettings: strict),
        .target(
            name: "Simulation", dependencies: ["CivilTime", "Notices", "Journal", "Worker"], path: "Tests/Simulation",
            swiftSettings: strict),
        .testTarget(
            name: "CivilTimeTests", dependencies: ["CivilTime"], exclude: ["zoneinfo_oracle.py"], swiftSettings: strict),
        .testTarget(
            name: "NoticesTests", dependencies: ["Notices", "CivilTime", "Journal", "Simulation"],
            exclude: ["protobuf_oracle.py"], swiftSettings: strict),
        .testTarget(
            name: "JournalTests", dependencies: ["Journal", "Notices", "CivilTime", "Simulation"], swiftSettings: strict
        ),
        .testTarget(
            name: "WorkerTests", dependencies: ["Worker", "Notices", "CivilTime", "Audit", "Simulation"],
            swiftSettings: strict),
        .testTarget(name: "AuditTests", dependencies: ["Audit", "Notices", "CivilTime"], swiftSettings: strict),
        .executableTarget(
            name: "storm", dependencies: ["CivilTime", "Notices", "Journal"], path: "Tests/Storm", swiftSettings: strict
        ),
        .testTarget(
            name: "BelfryTests", dependencies: ["belfry", "storm", "CivilTime", "Notices", "Journal", "Simulation"],
            swiftSettings: strict),
    ]
)

// What the benchmarks compare with is needed by nothing else: `ops/benchmarks/run` asks for these targets.
if Context.environment["BELFRY_BENCHMARKS"] != nil {
    package.targets += [
        .systemLibrary(
            name: "CSQLite", path: "ops/benchmarks/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]
        ),
        .executableTarget(
            name: "benchmarks", dependencies: ["CivilTime", "Notices", "Journal", "Worker", "CProcessor", "CSQLite"],
            path: "ops/benchmarks/Sources", swiftSettings: strict),
    ]
}

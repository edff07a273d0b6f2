import CivilTime
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("Which endpoints are of the public internet")
struct PrivateEndpointTests {
    @Test(arguments: [
        ("https://10.0.0.1/x", true), ("https://localhost:1/x", true), ("https://[::1]/x", true),
        ("https://169.254.169.254/x", true), ("https://push.example.org/x", false), ("http://10.0.0.1/x", false),
        ("a1b2", false),
    ])
    func `why no sender reaches a browser is said`(endpoint: String, isPrivate: Bool) throws {
        var registered = DeviceRegistered()
        registered.device = Identifier("browser")
        registered.platform = .web
        registered.token = Token(endpoint)
        let asked = registered
        var registrations = Registrations { _, _ in asked }
        let device = Contact.Device(name: "browser", registration: 5, position: 0, registeredAt: newYear)
        #expect(try registrations.address(of: device, trusted: []) == nil)
        #expect(registrations.whyNone(device).contains("is not on the public internet") == isPrivate)
    }
}

@Suite("Which tokens are Apple's")
struct StrangeTokenTests {
    @Test(arguments: [
        ("zz", true), ("../../../x", true), ("bm90IGhleA==", true), ("abc", false),
        (String(repeating: "ab", count: 8), false),
    ])
    func `why no sender reaches a phone is said, without its token`(token: String, isStrange: Bool) throws {
        var registered = DeviceRegistered()
        registered.device = Identifier("p")
        registered.platform = .ios
        registered.token = Token(token)
        let asked = registered
        var registrations = Registrations { _, _ in asked }
        let device = Contact.Device(name: "p", registration: 5, position: 0, registeredAt: newYear)
        #expect(try registrations.address(of: device, trusted: []) == nil)
        let why =
            isStrange
            ? "the token of device p is not hexadecimal, as Apple's are"
            : "p is registered without what its provider needs"
        #expect(registrations.whyNone(device) == why)
    }
}

@Suite("Addresses that are remembered")
struct RegistrationsTests {
    /// A job's address is asked for when it is sorted and again when it is sent, and thousands are sorted in between.
    @Test func `an address is read once although thousands of others are asked for in between`() throws {
        let reads = Mutex<[UInt64]>([])
        var registrations = Registrations { seq, position in
            reads.withLock { $0.append(position) }
            var registered = DeviceRegistered()
            registered.platform = .android
            registered.token = Token("token-\(seq)")
            return registered
        }
        let devices = (1...40_000).map { seq in
            Contact.Device(name: "d", registration: seq, position: seq * 10, registeredAt: newYear)
        }
        func ask(_ device: Contact.Device) throws -> String? {
            guard case .fcm(let address)? = try registrations.address(of: device, trusted: []) else { return nil }
            return address.value
        }
        for first in stride(from: 0, to: devices.count, by: 16_000) {
            for _ in 1...2 {
                for device in devices[first..<min(first + 16_000, devices.count)] {
                    #expect(try ask(device) == "token-\(device.registration)")
                }
            }
        }
        #expect(reads.withLock { $0 } == devices.map(\.position))
        registrations.forget()
        #expect(try ask(devices[0]) == "token-1")
        #expect(reads.withLock { $0.count } == devices.count + 1)
    }
}

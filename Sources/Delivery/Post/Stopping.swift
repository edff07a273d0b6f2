internal import Notices

/// What the person has stopped since a job was emitted is not sent: a job may wait for hours, and `retry` brings back older
/// ones (`N6`, `N7`).
extension Contact {
    /// Why a job is not to go to an address any more; `nil` where nothing is against it.
    func objection(to order: Order, at address: Target.Address) -> String? {
        stops.objection(to: address.channel, isTest: order.job.isTest == true)
    }
}

extension Target.Address {
    /// `nil` for a sink, which is asked nothing.
    fileprivate var channel: Channel? {
        switch self {
        case .sink: nil
        case .device: .push
        case .email: .email
        case .phone: .sms
        }
    }
}

internal import Notices

/// What the person has stopped since a job was emitted is not sent: a job may wait for hours, and `retry` brings back older
/// ones (`N6`, `N7`).
extension Contact {
    /// Why a job is not to go out on a channel any more; `nil` where nothing is against it.
    func objection(to order: Order, on channel: Channel) -> String? {
        stops.objection(to: channel, isTest: order.job.isTest == true)
    }
}

/// What the courier keeps for each carrier: orders it was read along with, what to complain of, what was lost.
struct CarrierDesk {
    let name: String
    var shelf = OrderShelf()
    var complaint: SinkComplaint
    var losses: LossReport

    init(_ name: String) {
        self.name = name
        complaint = SinkComplaint(sink: name)
        losses = LossReport(sink: name)
    }
}

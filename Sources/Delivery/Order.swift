/// One delivery order, as the log holds it.
package struct Order: Sendable {
    package var seq: UInt64
}

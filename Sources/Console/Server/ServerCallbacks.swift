internal import CMicrohttpd

// What the library's thread calls. Plain functions that capture nothing and belong to no actor: a closure written in
// isolated code would trap on that thread.
//
// `context` is the server's `Reception`, kept alive until the daemon has stopped. What belongs to a request is its
// `Exchange`, kept alive from its first line to its completion, which the library tells of without fail.

/// A request line has come: whatever follows belongs to the exchange that is returned.
func requestArrived(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let reception = reception(context), let target, let connection else { return nil }
    let exchange = Exchange(
        target: String(cString: target), number: belfry_http_number(connection), reception: reception)
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Called with the head, then for each piece of the body, then until there is an answer.
func requestContinues(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
    _ pieceCount: UnsafeMutablePointer<Int>?, _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let exchange = exchange(own), let connection, let method, let pieceCount else { return .NO }
    guard exchange.hasHead else { return exchange.takeHead(String(cString: method), connection) }
    guard pieceCount.pointee > 0 else { return exchange.proceed(connection) }
    defer { pieceCount.pointee = 0 }
    return exchange.takeBody(UnsafeRawBufferPointer(start: piece, count: pieceCount.pointee))
}

func requestCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
    guard let own, let pointer = own.pointee else { return }
    own.pointee = nil
    Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().end()
}

func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ number: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_ConnectionNotificationCode
) {
    guard let reception = reception(context), let connection, let number else { return }
    if how == .CONNECTION_NOTIFY_STARTED {
        number.pointee = UnsafeMutableRawPointer(bitPattern: reception.connect(belfry_http_descriptor(connection)))
    } else {
        let ended = UInt(bitPattern: number.pointee)
        reception.withLedger { $0.disconnect(ended) }
    }
}

private func reception(_ context: UnsafeMutableRawPointer?) -> Reception? {
    context.map { Unmanaged<Reception>.fromOpaque($0).takeUnretainedValue() }
}

private func exchange(_ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Exchange? {
    own?.pointee.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

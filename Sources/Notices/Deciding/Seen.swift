/// An object that somebody else keeps for as long as it is looked at: to look at it counts no reference, which would cost more
/// than most of what is looked for.
struct Seen<Object: AnyObject> {
    private let object: Unmanaged<Object>

    init(_ object: Object) { self.object = .passUnretained(object) }

    /// For what is handed on to a function: nothing is counted on the way there either.
    @inline(__always)
    func look<Result>(_ body: (Object) -> Result) -> Result { object._withUnsafeGuaranteedRef(body) }

    var it: Object { @inline(__always) get { object._withUnsafeGuaranteedRef { $0 } } }
}

import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. What waits its turn beside a busy suite on a small machine has not hung, so it is long.
    static var unlessItHangs: Self { .timeLimit(.minutes(15)) }
}

/// A number and what it counts: "1 job", "2 jobs"; "1 person", "2 people".
func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}

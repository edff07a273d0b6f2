import Simulation

extension Shell {
    /// A file with `microcommit` but for what facts raise by themselves (C7): for histories that are about other things.
    var goals: String {
        do { try write(ShippedPlans.goals, to: "goals.json") } catch {
            preconditionFailure("no file to test with: \(error)")
        }
        return path("goals.json")
    }
}

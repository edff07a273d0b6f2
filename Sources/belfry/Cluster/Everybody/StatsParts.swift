import Console
import Foundation
import Journal
import Notices
import Worker

/// The figures of some partitions, taken together.
struct StatsParts: PartedQuestion {
    static let word = "stats"
    let members: [JSONValue.Member] = []

    init() {}
    init?(_ question: JSONValue) {}

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> Figures {
        do throws(NumbersKeeper.Shortfall) {
            var parts: [Figures] = []
            for log in logs { parts.append(try log.numbers.figures()) }
            return Figures(of: parts)
        } catch {
            switch error {
            case .stopping: throw .unable(.stopping)
            case .failed(let problem): throw .unable(.failed(problem))
            case .counting(let share): throw .unable(.counting(share))
            }
        }
    }

    static func document(of figures: Figures) -> JSONValue {
        .object([
            .init("through", .number("\(figures.head.lastSeq)")),
            .init("figures", .string(Data(figures.bytes).base64EncodedString())),
        ])
    }

    func part(_ document: JSONValue) -> Figures? {
        guard let through = document["through"]?.natural,
            let bytes = document["figures"]?.string.flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        return Figures(bytes: Array(bytes), through: through)
    }
}

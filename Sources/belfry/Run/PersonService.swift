import CivilTime
import Console
import Worker

struct PersonService {
    let directory: String
    let world: World
    let zones: ZoneDatabase
    func answer(_ question: Question, from place: PersonPlace) -> Answer { .unknown("later") }
}

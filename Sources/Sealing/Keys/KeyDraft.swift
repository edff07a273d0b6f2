internal import Hashing

/// More pages of keys, made while those that are there are in use: a database takes milliseconds for a page, and who seals and
/// opens fields does not wait for it.
struct KeyDraft: Sendable {
    private(set) var table: KeyTable
    private(set) var pageKeys: [SecretBytes]
    private let place: KeyPlace
    private let pages: KeyPages
    private let root: SecretBytes
    private let master: MasterKey
    private let wanted: Int

    /// `nil` where everybody numbered below `count` has a key.
    init?(_ open: OpenKeys, below count: Int) {
        guard count > open.table.people else { return nil }
        (table, pageKeys, place, pages) = (open.table, open.pageKeys, open.place, open.pages)
        (root, master) = (open.root, open.master)
        wanted = (count + open.table.peopleAPage - 1) / open.table.peopleAPage
    }

    /// Writes the pages, and then the table that names them. Durable when it returns.
    mutating func write() throws(KeyRingError) {
        let cipher = SIVCipher()
        let before = table.generation
        var slots = FreeSlots(of: table)
        for page in table.pages.count..<wanted {
            let (key, slot) = (SecretBytes(random: SIVCipher.keyBytes), slots.take())
            cipher.use(key)
            let fresh = SecretBytes(random: table.peopleAPage * SIVCipher.keyBytes)
            try pages.write(pages.records(fresh, page, by: cipher), to: slot)
            cipher.use(root)
            let binding = table.pageBinding(page, slot: slot, destroyed: Destroyed.none)
            table.pages.append(
                KeyTable.Page(
                    slot: slot, destroyed: Destroyed.none, key: WrappedKey(key, binding, by: cipher)))
            pageKeys.append(key)
        }
        table.generation += 1
        table.seal(root, under: master, by: cipher)
        try place.put(table, replacing: before, destroyed: 0)
    }
}

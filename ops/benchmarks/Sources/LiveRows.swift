/// The worker as it runs: what `--only live` asks for together, and each by its own name.
struct LiveRows {
    let workspace: Workspace
    let options: Options

    func run(into table: inout Table) throws {
        if wants("herd") { try HerdRows(workspace: workspace, options: options).run(into: &table) }
        if wants("lag") { try FireLagRows(workspace: workspace, options: options).run(into: &table) }
        if wants("others") { OtherSchedulers(workspace: workspace, options: options).run(into: &table) }
        if wants("wake") { try WakeRows(workspace: workspace, options: options).run(into: &table) }
        if wants("explain") { try ExplainRows(workspace: workspace, options: options).run(into: &table) }
        // An hour is for whoever asks for it.
        if options.only.contains("soak") { try SoakRows(workspace: workspace, options: options).run(into: &table) }
    }

    private func wants(_ rows: String) -> Bool { options.wants(rows) || options.only.contains("live") }
}

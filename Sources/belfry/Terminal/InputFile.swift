import Foundation

/// Where lines come from: a file, or standard input.
struct InputFile {
    let descriptor: Int32
    let size: Int?

    init(_ path: String) throws(Failure) {
        if path == "-" {
            descriptor = STDIN_FILENO
            size = nil
            return
        }
        descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.badInput, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure(.badInput, "cannot read \(path): it is a directory")
        }
        size = Int(status.st_size)
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func close() {
        if descriptor != STDIN_FILENO { Foundation.close(descriptor) }
    }
}

/// An HTTP request, whole.
package struct HTTPRequest: Sendable {
    package var path: String
}

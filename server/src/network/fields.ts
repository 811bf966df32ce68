/** Header fields of HTTP/1.1, the same for requests and responses. Grammar: RFC 9112, section 5. */

/**
 * Matches header fields that every HTTP parser reads alike: no blank before the colon, no folded
 * lines, no control characters, only CR LF as line end. Each field begins with its line end.
 */
export const fieldLines = /^(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*)*$/;

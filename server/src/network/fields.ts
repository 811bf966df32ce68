/** Header fields of HTTP/1.1, requests and responses alike. Grammar: RFC 9112, section 5. */

/**
 * Field lines that every HTTP parser reads alike, each with its leading line end: no blank before
 * the colon, no folded lines, no control characters, CR LF only.
 */
export const fieldLines = /^(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*)*$/;

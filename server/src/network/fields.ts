/** Header fields of HTTP/1.1, requests and responses alike. Grammar: RFC 9112, section 5. */

/**
 * Lines that all readers take for the same fields, each with the line end in front of it: no blank
 * before the colon, none folded into the one before, no control characters, no line end but CR LF.
 */
export const fieldLines = /^(?:\r\n[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*)*$/;

/**
 * Requests whose end two HTTP parsers may see in different places. Each hides a second request,
 * which a server behind a proxy must never read as one of its own.
 */

/** The hidden request. Whoever reads it as a request answers it to the next client of a connection. */
const hidden = "GET /hidden HTTP/1.1\r\nhost: gw\r\n\r\n";

const asChunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;

const codings = [
  "chunked",
  "Chunked",
  " chunked",
  "\tchunked\t",
  "chunked ",
  "xchunked",
  "chunked x",
  "chunked, identity",
  "identity, chunked",
  "chunked, chunked",
  "gzip, chunked",
  "chunked;q=1",
  '"chunked"',
  ",chunked",
  "chunked,",
  "\x0bchunked",
  "\xa0chunked",
  "identity",
  "",
];

const codingNames = [
  "Transfer-Encoding",
  "transfer-encoding ",
  "Transfer_Encoding",
  " Transfer-Encoding",
  "Transfer-Encoding\t",
  "Transfer\rEncoding",
  "X: y\nTransfer-Encoding",
  "X: y\r\n Transfer-Encoding",
  "Transfer-Encoding\0",
];

const length = String(hidden.length);

const lengths = [
  length,
  `+${length}`,
  `-${length}`,
  `0${length}`,
  `${length} `,
  `${length}, ${length}`,
  `0, ${length}`,
  `${length}, 0`,
  `${length}.0`,
  `0x${hidden.length.toString(16)}`,
  `${length}\r\nContent-Length: 0`,
  `0\r\nContent-Length: ${length}`,
  `\xa0${length}`,
  "99999999999999999999",
  "",
];

const chunkings = [
  `0\r\n\r\n${hidden}`,
  `0\n\n${hidden}`,
  `00\r\n\r\n${hidden}`,
  `0;a=b\r\n\r\n${hidden}`,
  `0;a=\n\r\n\r\n${hidden}`,
  `1\r\nxx\r\n0\r\n\r\n${hidden}`,
  `1\nx\n0\n\n${hidden}`,
  `0x1\r\nx\r\n0\r\n\r\n${hidden}`,
  `+1\r\nx\r\n0\r\n\r\n${hidden}`,
  `1 \r\nx\r\n0\r\n\r\n${hidden}`,
  `100000000000000001\r\nx\r\n0\r\n\r\n${hidden}`,
  `0\r\nContent-Length: ${length}\r\n\r\n${hidden}`,
  `0\r\nTransfer-Encoding: chunked\r\n\r\n${hidden}`,
  `0\r\n \r\n\r\n${hidden}`,
  asChunk,
];

const head = (method: string, lines: readonly string[]): string =>
  [`${method} /attack HTTP/1.1`, "Host: gw", ...lines, "", ""].join("\r\n");

/** Returns the attacks: each the bytes of a connection, one character a byte. */
export function smuggledRequests(): string[] {
  const found: string[] = [];
  for (const coding of codings) {
    for (const body of [`0\r\n\r\n${hidden}`, asChunk, hidden]) {
      found.push(
        head("POST", [`Transfer-Encoding: ${coding}`, `Content-Length: ${body.length}`]) + body,
      );
      found.push(head("POST", [`Content-Length: 5`, `Transfer-Encoding: ${coding}`]) + body);
    }
  }
  for (const name of codingNames) {
    found.push(head("POST", [`${name}: chunked`, `Content-Length: ${length}`]) + hidden);
    found.push(head("POST", [`${name}: chunked`]) + `0\r\n\r\n${hidden}`);
  }
  for (const value of lengths) {
    for (const method of ["POST", "GET", "HEAD", "OPTIONS", "DELETE"]) {
      found.push(head(method, [`Content-Length: ${value}`]) + hidden);
    }
  }
  for (const body of chunkings) {
    found.push(head("POST", ["Transfer-Encoding: chunked"]) + body);
    found.push(head("GET", ["Transfer-Encoding: chunked"]) + body);
  }
  const framed = [`Content-Length: ${length}`];
  for (const line of ["Expect: 100-continue", "Connection: Content-Length", "Upgrade: h2c"]) {
    found.push(head("POST", [line, ...framed]) + hidden);
  }
  return found;
}

import { expect, test } from "bun:test";
import { feedBody, newBodyReader } from "./body-reader.ts";

const rules = {
  chunkLine: /^([0-9A-Fa-f]+)(?:;.*)?\r\n$/,
  chunkLineBytesMax: 100,
  trailerBytesMax: 1_000,
  trailerFieldsMax: 10,
};

/** Feeds pieces of a chunked body. Returns for each its body, with `=` in front if it is one chunk. */
function feed(...pieces: readonly string[]): string[] {
  const reader = newBodyReader("chunked", rules);
  return pieces.map((piece) => {
    const body = feedBody(reader, Buffer.from(piece, "latin1")).toString("latin1");
    return (reader.isOneChunk ? "=" : "") + body;
  });
}

// Bytes that count as one chunk go to the client as they are, so nothing else may be in them.
test("bytes count as one chunk if they are exactly that", () => {
  const cases: readonly (readonly [pieces: readonly string[], expected: readonly string[]])[] = [
    [["5\r\nhello\r\n"], ["=hello"]],
    [["0005\r\nhello\r\n"], ["=hello"]],
    [
      ["A\r\n0123456789\r\n", "a\r\n0123456789\r\n"],
      ["=0123456789", "=0123456789"],
    ],
    [["1\r\na\r\n1\r\nb\r\n"], ["ab"]],
    [["1\r\na\r\n0\r\n\r\n"], ["a"]],
    [["0\r\n\r\n"], [""]],
    [["5;x=y\r\nhello\r\n"], ["hello"]],
    [["5\r\nhello\r"], ["hello"]],
    [
      ["5\r\nhello", "\r\n5\r\nhello\r\n"],
      ["hello", "hello"],
    ],
    [
      ["5\r\nhel", "lo\r\n", "2\r\nhi\r\n"],
      ["hel", "lo", "=hi"],
    ],
    [
      ["5", "\r\nhello\r\n", "2\r\nhi\r\n"],
      ["", "hello", "=hi"],
    ],
    [["2\r\nhi\r\n5"], ["hi"]],
    [
      ["2\r\nhi\r\n", "0\r\nx: y\r\n\r\n"],
      ["=hi", ""],
    ],
    [["2\r\nhiX"], ["hi"]],
    [["2\r\nhi\n\n"], ["hi"]],
    [["123456789\r\nhello\r\n"], ["hello\r\n"]],
  ];
  for (const [pieces, expected] of cases) {
    expect(feed(...pieces), pieces.join("|")).toEqual([...expected]);
  }
});

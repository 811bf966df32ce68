/**
 * Fixed answers to what is neither chat nor embeddings: pictures, sound, rerank, moderations,
 * compaction. Their shapes are those of the OpenAI API and, for rerank, of Jina's.
 */

/** A picture of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const pictures = JSON.stringify({ created: 1_700_000_000, data: [{ b64_json: pixel }] });
const heard = JSON.stringify({
  text: "This is a demo.",
  usage: { type: "duration", seconds: 3 },
});

/** By what stands behind `/v1/`: the media type and the body. */
const answers: ReadonlyMap<string, readonly [mediaType: string, body: string]> = new Map([
  // Not music, but as many bytes as a client can play back to itself.
  ["audio/speech", ["audio/mpeg", "demo sound ".repeat(20)]],
  ["audio/transcriptions", ["application/json", heard]],
  ["audio/translations", ["application/json", heard]],
  ["images/edits", ["application/json", pictures]],
  ["images/generations", ["application/json", pictures]],
  ["images/variations", ["application/json", pictures]],
  [
    "moderations",
    [
      "application/json",
      JSON.stringify({
        id: "modr-demo",
        model: "demo",
        results: [{ flagged: false, categories: {}, category_scores: {} }],
      }),
    ],
  ],
  [
    "responses/compact",
    [
      "application/json",
      JSON.stringify({
        id: "resp_demo",
        object: "response.compaction",
        created_at: 1_700_000_000,
        output: [{ id: "cmp_demo", type: "compaction", encrypted_content: "demo".repeat(20) }],
        usage: { input_tokens: 12, output_tokens: 20, total_tokens: 32 },
      }),
    ],
  ],
  [
    "rerank",
    [
      "application/json",
      JSON.stringify({
        model: "demo",
        results: [{ index: 0, relevance_score: 0.9 }],
        usage: { total_tokens: 12 },
      }),
    ],
  ],
]);

/** Returns the whole answer to a path behind `/v1/`. Undefined: the path has none. */
export function mediaAnswer(resource: string): string | undefined {
  const found = answers.get(resource);
  if (found === undefined) return undefined;
  const [mediaType, body] = found;
  return (
    `HTTP/1.1 200 OK\r\ncontent-type: ${mediaType}\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

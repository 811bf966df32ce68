/** Reads requests that put documents in order, as Jina's and Cohere's clients write them. */

import {
  enterArray,
  newCursor,
  nextElement,
  openBrace,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import type { Span } from "#base/json-scan.ts";
import type { BodyRefusal, RequestBody, RequestPath } from "#formats/format.ts";
import { openBodyFields } from "#formats/shared/media/body-fields.ts";

/** The most documents of one call; Cohere and Jina take fewer. */
const documentsMax = 10_000;

const keys = ["model", "query", "documents", "top_n", "return_documents"];

export function readRequest(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal {
  const code = "invalid_documents";
  const fields = openBodyFields(bytes, keys, { code, isForm: false });
  const model = fields.model(path.model);
  const query = fields.required("query", ["string", "object"]);
  const documents = fields.required("documents", ["array"]);
  fields.whole("top_n", { min: 1, max: documentsMax, absent: 0 });
  fields.flag("return_documents");
  const wrong = documents?.kind === "array" ? findWrong(bytes, documents) : undefined;
  if (wrong !== undefined) fields.refuse("documents", wrong);
  const refusal = fields.refusal();
  if (refusal !== undefined) return refusal;
  const queryBytes = query === undefined ? 0 : query.end - query.start;
  const count = documents === undefined ? 0 : countElements(bytes, documents);
  return {
    modality: path.modality,
    model,
    stream: false,
    answerCount: 1,
    maxTokens: null,
    wantsUsage: true,
    // Each document is read together with the query, and servers that report usage count both.
    textBytes: bytes.length + queryBytes * count,
    mediaParts: 0,
    hasUnseenInput: false,
    work: {
      callThousandths: 1_000,
      input: null,
      inputMax: bytes.length + queryBytes * count,
      outputMax: 0,
    },
    spans: fields.values,
  };
}

const cursor = newCursor();

function countElements(bytes: Uint8Array, list: Span): number {
  setCursor(cursor, bytes, list.start, list.end);
  let count = 0;
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    skipValue(cursor);
    count += 1;
  }
  return count;
}

/** Says what is wrong with the documents; undefined: nothing. */
function findWrong(bytes: Uint8Array, list: Span): string | undefined {
  setCursor(cursor, bytes, list.start, list.end);
  let count = 0;
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    const first = bytes[cursor.at];
    if (first !== quote && first !== openBrace) {
      return `documents[${count}] must be a text or an object with a text`;
    }
    skipValue(cursor);
    count += 1;
    if (count > documentsMax) return `documents may have at most ${documentsMax} elements`;
  }
  return undefined;
}

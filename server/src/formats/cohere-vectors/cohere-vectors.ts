import type { Format } from "#formats/format.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { readPlainBody } from "#formats/shared/read-body.ts";

const client = mediaClient({
  readRequest: (bytes, path) => readPlainBody(bytes, path, "texts", ["array"]),
  smallRequest: (model) => ({
    model,
    texts: ["hello world"],
    input_type: "search_document",
    embedding_types: ["float"],
  }),
  input: "texts",
  texts: ["texts"],
});

const upstream = plainUpstream({
  usage: "billed_units",
  answering: ["embeddings"],
  skipped: ["float", "int8", "uint8", "binary", "ubinary", "texts"],
});

/** Cohere's format for embeddings, version 2. */
export const cohereVectors = { client, upstream } as const satisfies Format;

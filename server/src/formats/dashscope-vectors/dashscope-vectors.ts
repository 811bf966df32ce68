import type { Format } from "#formats/format.ts";
import { mediaClient } from "#formats/shared/media/media-client.ts";
import { plainUpstream } from "#formats/shared/media/plain-upstream.ts";
import { readPlainBody } from "#formats/shared/read-body.ts";

const client = mediaClient({
  readRequest: (bytes, path) => readPlainBody(bytes, path, "input", ["object"]),
  smallRequest: (model) => ({ model, input: { texts: ["hello world"] } }),
  input: "input",
  texts: ["input", "texts"],
});

const upstream = plainUpstream({ usage: "usage", answering: ["output"], skipped: ["embedding"] });

/** DashScope's own format for embeddings. */
export const dashscopeVectors = { client, upstream } as const satisfies Format;

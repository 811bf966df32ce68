/** Converts embeddings from and to Gemini's format. */

import type { Json, JsonObject } from "#base/json.ts";
import type {
  EmbeddingPurpose,
  EmbeddingsAnswer,
  EmbeddingsRequest,
} from "#canonical/embeddings.ts";
import type { ConversionClient, ConversionUpstream } from "#formats/conversion.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { defined, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { vectorOf, vectorsOf } from "#formats/shared/media/vectors.ts";

type Client = ConversionClient<EmbeddingsRequest, EmbeddingsAnswer>;
type Upstream = ConversionUpstream<EmbeddingsRequest, EmbeddingsAnswer>;

const purposes: ReadonlyMap<string, EmbeddingPurpose> = new Map([
  ["CLASSIFICATION", "classification"],
  ["CLUSTERING", "clustering"],
  ["RETRIEVAL_DOCUMENT", "document"],
  ["RETRIEVAL_QUERY", "query"],
]);

function refuse(param: string, message: string): BodyRefusal {
  return { code: "invalid_embedding_request", param, message };
}

/** Reads one request for a vector: its text, or why it is refused. */
function textIn(request: JsonObject): BodyRefusal | string {
  const parts = listOf(objectOf(request["content"])["parts"]);
  const texts = parts.map((part) => objectOf(part)["text"]);
  if (texts.length === 0 || !texts.every((text) => typeof text === "string")) {
    return refuse("content", "content must have parts with texts: this model takes nothing else");
  }
  return texts.join("\n");
}

function parse(requests: readonly JsonObject[]): ReturnType<Client["parse"]> {
  const inputs: string[] = [];
  for (const request of requests) {
    const text = textIn(request);
    if (typeof text !== "string") return text;
    inputs.push(text);
  }
  const [first = {}] = requests;
  const shared = (name: string, other: string): Json | undefined => first[name] ?? first[other];
  const dimensions = numberOf(shared("outputDimensionality", "output_dimensionality"));
  const task = textOf(shared("taskType", "task_type"));
  const purpose = purposes.get(task) ?? null;
  const losses = requests.some(({ title }) => title !== undefined) ? ["title"] : [];
  if (task !== "" && purpose === null) losses.push("taskType");
  return { request: { inputs, dimensions, purpose }, losses };
}

const batchClient: Client = {
  parse: (body) => parse(listOf(body["requests"]).map((each) => objectOf(each))),
  write: ({ vectors }) => ({ embeddings: vectors.map((values) => ({ values })) }),
};

const singleClient: Client = {
  parse: (body) => parse([body]),
  write: ({ vectors: [values = []] }) => ({ embedding: { values } }),
};

const upstream: Upstream = {
  write: ({ inputs, dimensions, purpose }, model) => ({
    body: {
      requests: inputs.map((text) =>
        defined({
          model: `models/${model}`,
          content: { parts: [{ text }] },
          outputDimensionality: dimensions ?? undefined,
          taskType: [...purposes].find(([, each]) => each === purpose)?.[0],
        }),
      ),
    },
    losses: [],
  }),
  read(answer) {
    const { embeddings, embedding } = objectOf(answer);
    const single = vectorOf(objectOf(embedding)["values"]);
    if (single !== undefined) return { vectors: [single] };
    const vectors = vectorsOf(embeddings, (each) => objectOf(each)["values"]);
    return vectors === undefined ? undefined : { vectors };
  },
};

export const batchEmbeddings = { client: batchClient, upstream };
export const singleEmbedding = { client: singleClient };

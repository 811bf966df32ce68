/** What to send to the routes that call models, as `samples.ts` does for all others. */

import type { Make } from "./samples.ts";

/** A question in the format of Gemini, whose path names the model. */
const geminiBody = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
const embedBody = { content: { parts: [{ text: "hi" }] } };
const embedsBody = { requests: [embedBody] };
const pictureBody = (model: string) => ({
  model,
  prompt: "a cat",
  image: "data:image/png;base64,AA",
});
const rerankBody = (model: string) => ({ model, query: "hi", documents: ["hello"] });

const chatBody = (model: string) => ({ model, messages: [{ role: "user", content: "hi" }] });

export const relaySamples: Readonly<Record<string, Make>> = {
  "GET /v1/models/**": ({ model }) => ({ id: model }),
  "POST /pg/chat/completions": ({ model }) => ({ body: chatBody(model) }),
  "POST /v1/chat/completions": ({ model }) => ({ body: chatBody(model) }),
  "POST /v1/completions": ({ model }) => ({ body: { model, prompt: "hi" } }),
  "POST /v1/embeddings": ({ model }) => ({ body: { model, input: "hi" } }),
  "GET /v1beta/models/**": ({ model }) => ({ id: model }),
  "POST /v1/audio/speech": ({ model }) => ({ body: { model, input: "hi", voice: "v" } }),
  "POST /v1/images/edits": ({ model }) => ({ body: pictureBody(model) }),
  "POST /v1/images/generations": ({ model }) => ({ body: { model, prompt: "a cat" } }),
  "POST /v1/images/variations": ({ model }) => ({ body: pictureBody(model) }),
  "POST /v1/moderations": ({ model }) => ({ body: { model, input: "hi" } }),
  "POST /v1/rerank": ({ model }) => ({ body: rerankBody(model) }),
  "POST /v2/rerank": ({ model }) => ({ body: rerankBody(model) }),
  "POST /v2/embed": ({ model }) => ({ body: { model, texts: ["hi"] } }),
  "POST /v1/models/**:batchEmbedContents": ({ model }) => ({ id: model, body: embedsBody }),
  "POST /v1/models/**:embedContent": ({ model }) => ({ id: model, body: embedBody }),
  "POST /v1beta/models/**:batchEmbedContents": ({ model }) => ({ id: model, body: embedsBody }),
  "POST /v1beta/models/**:embedContent": ({ model }) => ({ id: model, body: embedBody }),
  "POST /v1/messages": ({ model }) => ({ body: { ...chatBody(model), max_tokens: 9 } }),
  "POST /v1/messages/count_tokens": ({ model }) => ({ body: chatBody(model) }),
  "POST /v1/models/**:countTokens": ({ model }) => ({ id: model, body: geminiBody }),
  "POST /v1/models/**:generateContent": ({ model }) => ({ id: model, body: geminiBody }),
  "POST /v1/models/**:streamGenerateContent": ({ model }) => ({ id: model, body: geminiBody }),
  "POST /v1/responses": ({ model }) => ({ body: { model, input: "hi" } }),
  "POST /v1/responses/compact": ({ model }) => ({ body: { model, input: "hi" } }),
  "POST /v1/responses/input_tokens": ({ model }) => ({ body: { model, input: "hi" } }),
  "POST /v1beta/models/**:countTokens": ({ model }) => ({ id: model, body: geminiBody }),
  "POST /v1beta/models/**:generateContent": ({ model }) => ({ id: model, body: geminiBody }),
  "POST /v1beta/models/**:streamGenerateContent": ({ model }) => ({ id: model, body: geminiBody }),
  "POST /v1/engines/*/embeddings": ({ model }) => ({ id: model, body: { input: "hi" } }),
};

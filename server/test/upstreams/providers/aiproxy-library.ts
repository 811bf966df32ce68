/**
 * Answers of AI Proxy's knowledge bases, streamed and whole. They report no usage.
 * Source: the request and the answers as one-api compatible gateways know them. That a refusal has
 * the HTTP status of its code is assumed.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import { pieceParts, section } from "@tollgate/demo/answers/body-parts.ts";
import { errorWords } from "@tollgate/demo/answers/errors.ts";
import { isFlag, isWords, type Provider, wrongField } from "./provider.ts";

const documents = JSON.stringify([
  { title: "Manual of the demo upstream", url: "https://demo-upstream.example/manual" },
]);

function* libraryEvents({ call, content, contentCount }: Answer): Generator<AnswerPart> {
  const open = `{"content":"`;
  const model = `"model":${JSON.stringify(call.model)}`;
  for (let piece = 0; piece < contentCount; piece += 1) {
    const text = `${open}${content.jsonAt(piece)}","finish":false,${model}}`;
    yield { kind: "piece", text, pieces: 1, contentAt: open.length };
  }
  yield section("done", `${open}","finish":true,${model},"documents":${documents}}`);
}

function* libraryBody({ content, contentCount }: Answer, grouped: boolean): Generator<AnswerPart> {
  yield section("start", `{"success":true,"errCode":0,"message":"","answer":"`);
  yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `","documents":${documents}`);
  yield section("done", "}");
}

export const aiproxyLibrary: Provider = {
  framing: "events",
  chunk: null,
  reasons: false,
  events: libraryEvents,
  body: libraryBody,
  usage: () => null,
  errorBody: (status, { message }) => ({ success: false, errCode: status, message }),
  errorEvent: (error) => ({ body: { success: false, errCode: 500, message: errorWords(error) } }),
  read(body) {
    const fields = { model: isWords, query: isWords, libraryId: isWords, stream: isFlag };
    const wrong = wrongField(body, fields, ["model", "query", "libraryId"]);
    return wrong ?? { ...body, messages: [{ role: "user", content: body["query"] ?? "" }] };
  },
};

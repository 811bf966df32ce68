import { expect, test } from "bun:test";
import { findIngress, clientFormat } from "./ingress.ts";

const format = "openai-chat";

test("every path of OpenAI's format is found, with and without extra slashes", () => {
  for (const [path, modality] of [
    ["/v1/chat/completions", "chat"],
    ["/v1/completions", "completions"],
    ["/v1/embeddings", "embeddings"],
  ] as const) {
    for (const form of [path, `${path}/`, `/${path}`, `//${path}//`]) {
      expect(findIngress("POST", form)).toEqual({ kind: "call", format, modality, model: null });
    }
  }
});

test("a model name in a path may contain slashes and colons", () => {
  expect(findIngress("GET", "/v1/models/deepseek-ai/DeepSeek-V3:free")).toEqual({
    kind: "model",
    format,
    model: "deepseek-ai/DeepSeek-V3:free",
  });
  expect(findIngress("GET", "/v1/models/a%2Fb%20c")).toEqual({
    kind: "model",
    format,
    model: "a/b c",
  });
  expect(findIngress("POST", "/v1/engines/text-embedding-3-small/embeddings")).toEqual({
    kind: "call",
    format,
    modality: "embeddings",
    model: "text-embedding-3-small",
  });
});

test("billing queries are found below both prefixes, for GET only", () => {
  for (const query of ["subscription", "usage"] as const) {
    for (const path of [`/dashboard/billing/${query}`, `/v1/dashboard/billing/${query}/`]) {
      expect(findIngress("GET", path)).toEqual({ kind: "billing", format, query });
      expect(findIngress("POST", path).kind).toBe("unknown");
    }
  }
  expect(findIngress("GET", "/dashboard/billing/other").kind).toBe("unknown");
});

test("clients of every format find their path, whatever their library adds to it", () => {
  for (const [path, found, model, stream] of [
    ["/v1/messages", "anthropic-messages", null, undefined],
    ["/v1/responses/", "openai-responses", null, undefined],
    ["/v1beta/models/gemini-2.5-pro:generateContent", "gemini-generate", "gemini-2.5-pro", false],
    ["/v1/models/a/b:c:streamGenerateContent", "gemini-generate", "a/b:c", true],
  ] as const) {
    const call = { kind: "call", format: found, modality: "chat", model };
    expect(findIngress("POST", path)).toEqual({
      ...call,
      ...(stream === undefined ? {} : { stream }),
    } as ReturnType<typeof findIngress>);
  }
  expect(findIngress("POST", "/v1/messages/count_tokens").kind).toBe("count");
});

test("the model list is in the form of the client that asks", () => {
  const asked = (name: string) =>
    clientFormat("openai-chat", new Headers(name === "" ? {} : { [name]: "x" }));

  expect(["", "x-goog-api-key", "anthropic-version", "x-api-key"].map(asked)).toEqual([
    "openai-chat",
    "gemini-generate",
    "anthropic-messages",
    "anthropic-messages",
  ]);
});

test("clients of Azure, Vertex and Gemini's layer for OpenAI's clients find what they ask for", () => {
  for (const [path, found, model] of [
    ["/openai/deployments/gpt-4o/chat/completions", format, null],
    ["/openai/v1/chat/completions", format, null],
    ["/v1beta/openai/chat/completions", format, null],
    ["/v1beta1/publishers/google/models/g:generateContent", "gemini-generate", "g"],
    [
      "/v1/projects/p/locations/l/publishers/google/models/g:generateContent",
      "gemini-generate",
      "g",
    ],
  ] as const) {
    expect([path, findIngress("POST", path)]).toMatchObject([
      path,
      { kind: "call", format: found, modality: "chat", model },
    ]);
  }
  expect(findIngress("POST", "/openai/deployments/e%3A1/embeddings")).toMatchObject({
    modality: "embeddings",
    model: "e:1",
  });
});

test("what is not served below a known path is refused in the format of the path's clients", () => {
  for (const [path, found] of [
    ["/v1/messages/batches/msgbatch_1/results", "anthropic-messages"],
    ["/v1/batches", format],
    ["/v1beta/files/f", "gemini-generate"],
    ["/upload/v1beta/files", "gemini-generate"],
    ["/v1/responses/resp_1/cancel", format],
  ] as const) {
    expect(findIngress("POST", path)).toEqual({ kind: "unimplemented", format: found });
  }
});

test("paths of other kinds and methods are not served", () => {
  for (const [method, path, kind] of [
    ["OPTIONS", "/v1/anything", "preflight"],
    ["GET", "/v1/models", "models"],
    ["DELETE", "/v1/models/mine", "unimplemented"],
    ["POST", "/v1/edits", "unimplemented"],
    ["GET", "/v1/files", "unimplemented"],
    ["PUT", "/v1/files/file-1/content", "unimplemented"],
    ["GET", "/v1/chat/completions", "unknown"],
    ["POST", "/v1/chat/completions/more", "unknown"],
    ["POST", "/v1/engines/a/b/embeddings", "unknown"],
    ["POST", "/v1/engines//embeddings", "unknown"],
    ["GET", "/v1/models/%E0%A4%A", "unknown"],
    ["GET", `/v1/models/${"x".repeat(256)}`, "unknown"],
    ["GET", "/v1/filesystem", "unknown"],
    ["GET", "/v1", "unknown"],
  ] as const) {
    expect([method, path, findIngress(method, path).kind]).toEqual([method, path, kind]);
  }
});

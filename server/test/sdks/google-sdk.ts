/** Google's SDK. */

import { type Content, GoogleGenAI, type Part } from "@google/genai";
import {
  type Ask,
  firstTurn,
  nothingTold,
  picture,
  type Sdk,
  toolNames,
  toolResult,
  toolSchema,
  turnsMax,
} from "./sdk.ts";

const functionDeclarations = toolNames.map((name) => ({
  name,
  parametersJsonSchema: toolSchema,
}));

function open({ url, key }: Ask): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, apiVersion: "v1beta" } });
}

export const geminiGenerate: Sdk = {
  name: "@google/genai",
  formatId: "gemini-generate",
  async talk(ask) {
    const told = nothingTold();
    const contents: Content[] = [...earlierOf(ask), contentOf(ask)];
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const { parts, input, output } = await answerTo(ask, contents);
      told.input += input;
      told.output += output;
      told.text = parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join("");
      told.said += told.text;
      for (const { text, thought } of parts) if (thought === true) told.reasoning += text ?? "";
      contents.push({ role: "model", parts: parts.filter(({ text }) => text !== "") });
      const results: Part[] = [];
      for (const { functionCall: call } of parts) {
        if (call?.name === undefined) continue;
        told.calls.push({ name: call.name, args: call.args });
        const { name, id } = call;
        const response = { output: toolResult };
        results.push({ functionResponse: { name, response, ...(id === undefined ? {} : { id }) } });
      }
      if (results.length === 0) break;
      contents.push({ role: "user", parts: results });
    }
    return told;
  },
  async *words(ask) {
    const leaving = new AbortController();
    const config = { abortSignal: leaving.signal };
    const asked = { model: ask.model, contents: [contentOf(ask)], config };
    try {
      for await (const { candidates } of await open(ask).models.generateContentStream(asked)) {
        const parts = candidates?.[0]?.content?.parts ?? [];
        const words = parts.map(({ text }) => text ?? "").join("");
        if (words !== "") yield words;
      }
    } finally {
      leaving.abort();
    }
  },
};

function earlierOf({ later }: Ask): Content[] {
  if (later !== true) return [];
  const { asked, answered } = firstTurn;
  return [
    { role: "user", parts: [{ text: asked }] },
    { role: "model", parts: [{ text: answered }] },
  ];
}

function contentOf({ image, prompt }: Ask): Content {
  const parts: Part[] = [{ text: prompt }];
  if (image === true) parts.push({ inlineData: { mimeType: "image/png", data: picture } });
  return { role: "user", parts };
}

const shape = { responseMimeType: "application/json", responseJsonSchema: toolSchema };

async function answerTo(
  ask: Ask,
  contents: Content[],
): Promise<{ parts: Part[]; input: number; output: number }> {
  const config = {
    ...(ask.tools ? { tools: [{ functionDeclarations }] } : {}),
    ...(ask.shaped === true ? shape : {}),
  };
  const { models } = open(ask);
  const asked = { model: ask.model, contents, config };
  const chunks = ask.stream
    ? await models.generateContentStream(asked)
    : [await models.generateContent(asked)];
  const told = { parts: [] as Part[], input: 0, output: 0 };
  for await (const { candidates, usageMetadata: usage } of chunks) {
    told.parts.push(...(candidates?.[0]?.content?.parts ?? []));
    if (usage === undefined) continue;
    told.input = usage.promptTokenCount ?? 0;
    told.output = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
  }
  return told;
}

/** The AI SDK of Vercel, with its providers for each format. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { z } from "zod";
import {
  type Ask,
  firstTurn,
  pictureUrl,
  type Sdk,
  toolNames,
  toolResult,
  turnsMax,
} from "./sdk.ts";

const inputSchema = z.object({ city: z.string(), days: z.int() });
const scripted = tool({ inputSchema, execute: async () => toolResult });
const tools = Object.fromEntries(toolNames.map((name) => [name, scripted]));

/** Models of the SDK's own lists only get a schema; others would get a tool in its place. */
const providerOptions = {
  anthropic: { structuredOutputMode: "outputFormat" },
  openai: { store: false, include: ["reasoning.encrypted_content"] },
};

function earlierOf({ later }: Ask): ModelMessage[] {
  if (later !== true) return [];
  const { asked, answered } = firstTurn;
  return [
    { role: "user", content: asked },
    { role: "assistant", content: answered },
  ];
}

function messageOf({ image, prompt }: Ask): ModelMessage {
  if (image !== true) return { role: "user", content: prompt };
  return {
    role: "user",
    content: [
      { type: "text", text: prompt },
      { type: "image", image: pictureUrl },
    ],
  };
}

function aiSdk(formatId: string, open: (ask: Ask) => LanguageModel): Sdk {
  const settings = (ask: Ask) => ({
    model: open(ask),
    messages: [...earlierOf(ask), messageOf(ask)],
    maxRetries: 0,
    stopWhen: stepCountIs(turnsMax),
    providerOptions,
    ...(ask.tools ? { tools } : {}),
    ...(ask.shaped === true ? { output: Output.object({ schema: inputSchema }) } : {}),
  });
  return {
    name: `ai, ${formatId}`,
    formatId,
    async talk(ask) {
      const { steps, usage, text } = ask.stream
        ? await readStream(ask)
        : await generateText(settings(ask)).then(({ steps: all, totalUsage, text: last }) => ({
            steps: all,
            usage: totalUsage,
            text: last,
          }));
      return {
        text,
        said: steps.map((step) => step.text).join(""),
        reasoning: steps.map(({ reasoningText }) => reasoningText ?? "").join(""),
        calls: steps.flatMap(({ toolCalls }) =>
          toolCalls.map(({ toolName, input }) => ({ name: toolName, args: input as unknown })),
        ),
        input: usage.inputTokens ?? 0,
        output: usage.outputTokens ?? 0,
      };
    },
    async *words(ask) {
      const leaving = new AbortController();
      const { fullStream } = streamText({
        ...settings(ask),
        abortSignal: leaving.signal,
        onError() {},
      });
      try {
        for await (const part of fullStream) {
          if (part.type === "error") throw part.error;
          if (part.type === "text-delta" && part.text !== "") yield part.text;
        }
      } finally {
        leaving.abort();
      }
    },
  };

  async function readStream(ask: Ask) {
    let failure: unknown;
    const answer = streamText({
      ...settings(ask),
      onError({ error }) {
        failure = error;
      },
    });
    await answer.consumeStream();
    if (failure !== undefined) throw failure;
    const [steps, usage, text] = await Promise.all([answer.steps, answer.totalUsage, answer.text]);
    return { steps, usage, text };
  }
}

export const aiSdks: readonly Sdk[] = [
  aiSdk("openai-chat", ({ url, key, model }) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat(model),
  ),
  aiSdk("openai-responses", ({ url, key, model }) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).responses(model),
  ),
  aiSdk("anthropic-messages", ({ url, key, model }) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: key })(model),
  ),
  aiSdk("gemini-generate", ({ url, key, model }) =>
    createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key })(model),
  ),
];

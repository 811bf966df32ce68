/** The AI SDK of Vercel, with its providers for each format. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { type Ask, type Sdk, toolNames, toolResult, turnsMax } from "./sdk.ts";

const inputSchema = z.object({ city: z.string(), days: z.int() });
const scripted = tool({ inputSchema, execute: async () => toolResult });
const tools = Object.fromEntries(toolNames.map((name) => [name, scripted]));

function aiSdk(formatId: string, open: (ask: Ask) => LanguageModel): Sdk {
  const settings = (ask: Ask) => ({
    model: open(ask),
    prompt: ask.prompt,
    maxRetries: 0,
    stopWhen: stepCountIs(turnsMax),
    providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
    ...(ask.tools ? { tools } : {}),
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
    async dropStream(ask) {
      const leaving = new AbortController();
      const { textStream } = streamText({
        ...settings(ask),
        abortSignal: leaving.signal,
        onError() {},
      });
      for await (const _ of textStream) break;
      leaving.abort();
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

/**
 * The official SDKs against each format of the demo upstream, through the relay: what a client
 * reads is what the upstream said, and the bill is what the upstream counted.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { eventually } from "@tollgate/demo/testing/client.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import { drainMsMax } from "#relay/answers/client-disconnect.ts";
import { testKey } from "#relay/testing/relay.ts";
import { aiSdks } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-sdk.ts";
import { geminiGenerate } from "./google-sdk.ts";
import { openaiChat, openaiResponses } from "./openai-sdk.ts";
import { type Ask, type Sdk, toolNames } from "./sdk.ts";
import { openRelayTo, upstreams } from "./upstreams.ts";

const sdks: readonly Sdk[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  geminiGenerate,
  ...aiSdks,
];

const demo = startDemoUpstream();
const models = ["demo-fast", "m", "other", "unmapped"];
const relays = upstreams.map((upstream) => ({
  upstream,
  relay: openRelayTo(upstream, { demo: demo.url, models }),
}));
afterAll(async () => {
  for (const { relay } of relays) await relay.stop();
  await demo.stop();
});

/** `m` reasons, `other` has no money left, `unmapped` writes until the client is gone. */
const scripts = {
  m: { reasoningEvents: 12, reasoningTokens: 12 },
  other: { status: 429, retryAfter: "7" },
  unmapped: { neverEnd: true, eventDelayMs: 2 },
  "demo-fast": {},
};

beforeEach(async () => {
  await fetch(`${demo.url}/__demo/reset`, { method: "POST" });
});

const mainFormats = new Set(["chat", "generateContent", "messages", "responses"]);
const prefixes = new Set(upstreams.map(({ prefix }) => prefix));

beforeAll(async () => {
  for (const [model, script] of Object.entries(scripts)) {
    const body = JSON.stringify(script);
    for (const prefix of prefixes) {
      await fetch(`${demo.url}/__demo/scripts/${prefix}${model}`, { method: "PUT", body });
    }
  }
});

/** OpenAI has no reasoning in chat, so its SDK and the AI SDK's provider for it drop other vendors'. */
function dropsReasoning(sdk: Sdk, stream: boolean): boolean {
  return sdk.name === "ai, openai-chat" || (sdk === openaiChat && stream);
}

function statusOf(failure: unknown): number | undefined {
  const { status, statusCode } = Object(failure) as { status?: number; statusCode?: number };
  return status ?? statusCode;
}

const words = 40;
const args = { city: "demo", days: 1 };

for (const { upstream, relay } of relays) {
  for (const sdk of sdks) {
    const pair = `${sdk.name} on ${upstream.name}`;
    const ask = (fields: Partial<Ask>): Ask => ({
      url: relay.url,
      key: testKey,
      model: "demo-fast",
      stream: false,
      prompt: "What is the weather like?",
      tools: false,
      ...fields,
    });
    /** Talks, and returns what was charged beside it. */
    const talk = async (fields: Partial<Ask>) => {
      const before = relay.money.settled.length;
      const told = await sdk.talk(ask(fields));
      const { calls } = demo.account();
      const bills = relay.money.settled.slice(before).map(({ log: { usage } }) => ({
        input: inputOf(usage),
        output: outputOf(usage),
      }));
      return { told, bills, calls: calls.slice(-bills.length) };
    };

    // Those of the AI SDK differ from the others in the client alone, so they try less.
    const isBrief = sdk.name.startsWith("ai, ") && !mainFormats.has(upstream.name);
    for (const stream of isBrief ? [true] : [false, true]) {
      const how = stream ? "streamed" : "whole";

      test(`${pair}, ${how}: reads all words, and pays for what the upstream counted`, async () => {
        const { told, bills, calls } = await talk({ stream });
        const output = words;
        expect([told.text.split(" ").length, told.output, told.calls.length]).toEqual([40, 40, 0]);
        expect(bills).toEqual([{ input: told.input, output }]);
        expect(calls.map(({ promptTokens }) => promptTokens)).toEqual([told.input]);
      });

      test(`${pair}, ${how}: makes two calls at once, and ends after their results`, async () => {
        const prompt = "Please use the tools.";
        const { told, bills } = await talk({ stream, prompt, tools: true });
        expect(told.calls).toEqual(toolNames.map((name) => ({ name, args })));
        expect(told.text.split(" ")).toHaveLength(words);
        expect(bills).toHaveLength(2);
        const sum = bills.reduce((all, { input, output }) => all + input + output, 0);
        expect(sum).toBe(told.input + told.output);
      });

      test(`${pair}, ${how}: reads the reasoning apart from the answer`, async () => {
        const { told, bills } = await talk({ stream, model: "m" });
        expect(told.text.split(" ")).toHaveLength(words);
        const reasoned = upstream.reasons ? scripts.m.reasoningEvents : 0;
        expect(bills.map(({ output }) => output)).toEqual([words + reasoned]);
        if (upstream.reasons && !dropsReasoning(sdk, stream)) {
          expect(told.reasoning).toContain("words of reasoning");
        }
      });

      test(`${pair}, ${how}: sends a picture, or is told that the upstream takes none`, async () => {
        const charged = relay.money.settled.length;
        const asking = talk({ stream, image: true });
        if (upstream.takesImages) {
          const { calls } = await asking;
          expect(calls.map(({ images }) => images)).toEqual([1]);
        } else {
          expect(statusOf(await asking.catch((error: unknown) => error))).toBe(400);
          expect(relay.money.settled).toHaveLength(charged);
        }
      });

      test(`${pair}, ${how}: gets JSON that fits its schema, or the name of what was lost`, async () => {
        const { told } = await talk({ stream, shaped: true }).catch(() => ({ told: null }));
        const { losses } = relay.money.settled.at(-1)?.log ?? {};
        if (upstream.takesSchema) expect(JSON.parse(told?.text ?? "")).toEqual(args);
        else expect(losses).toContain("response_format");
      });

      test(`${pair}, ${how}: raises the upstream's refusal with its status, at no charge`, async () => {
        const charged = relay.money.settled.length;
        const failure: unknown = await talk({ stream, model: "other" }).catch((error) => error);
        expect(statusOf(failure)).toBe(429);
        expect(relay.money.settled).toHaveLength(charged);
      });
    }

    if (isBrief) continue;

    test(`${pair}: a client that drops a stream ends the upstream's and pays for what was written`, async () => {
      const before = relay.money.settled.length;
      const { disconnects } = relay.counts;
      for await (const _ of sdk.words(ask({ model: "unmapped", stream: true }))) break;
      await eventually(() => relay.counts.disconnects > disconnects);
      relay.skipMs += drainMsMax + 1_000;
      await eventually(() => relay.money.settled.length > before);
      const bill = relay.money.settled.at(-1)?.log.usage;
      expect(bill === undefined ? 0 : outputOf(bill)).toBeGreaterThan(0);
      await eventually(() => demo.account().calls.at(-1)?.aborted === true);
    });
  }
}

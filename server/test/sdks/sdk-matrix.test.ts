/**
 * The official SDKs against each format of the demo upstream, through the relay: what a client
 * reads is what the upstream said, and the bill is what the upstream counted.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startUpstreams } from "#test/upstreams/start.ts";
import { eventually } from "#test/upstreams/client.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import { drainMsMax } from "#relay/call/client-disconnect.ts";
import { testKey } from "#relay/testing/relay.ts";
import { aiSdks } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-sdk.ts";
import { geminiGenerate } from "./google-sdk.ts";
import { openaiChat, openaiResponses } from "./openai-sdk.ts";
import { type Ask, firstTurn, type Sdk, toolNames } from "./sdk.ts";
import { openRelayTo, type Upstream, upstreams } from "./upstreams.ts";

const sdks: readonly Sdk[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  geminiGenerate,
  ...aiSdks,
];

const demo = startUpstreams();
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

/** What becomes of two tools, by how many functions an answer of the upstream may call. */
function nameOf({ callsMax }: Upstream): string {
  if (callsMax === 0) return "is told that the upstream calls no tools";
  return callsMax === 1
    ? "makes one call, the most that the upstream makes, and ends after its result"
    : "makes two calls at once, and ends after their results";
}

type Counts = { readonly input: number; readonly output: number };

const words = 40;
const args = { city: "demo", days: 1 };

/** A long run tries both ways of an answer with each pair. */
const isLong = process.env["TOLLGATE_TEST_LONG"] !== undefined;

for (const [row, { upstream, relay }] of relays.entries()) {
  for (const [column, sdk] of sdks.entries()) {
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

    /** One bill says what the client reads, or what the gateway counted for a silent upstream. */
    const expectBills = ({ input, output }: Counts, bills: readonly Counts[]) => {
      if (upstream.reportsUsage) {
        expect(bills).toEqual([{ input, output }]);
        return;
      }
      expect(relay.money.settled.at(-1)?.log.usageSource).toBe("local");
      expect(bills.map((bill) => Math.min(bill.input, bill.output) > 0)).toEqual([true]);
    };

    // Those of the AI SDK differ from the others in the client alone, so they try less.
    const isBrief = sdk.name.startsWith("ai, ") && !mainFormats.has(upstream.name);
    // The ways alternate like the fields of a chessboard, so that each SDK and each upstream is
    // tried both ways.
    const oneWay = [(row + column) % 2 === 0];
    for (const stream of isBrief ? [true] : isLong ? [false, true] : oneWay) {
      const how = stream ? "streamed" : "whole";

      test(`${pair}, ${how}: reads all words, and pays for what the upstream counted`, async () => {
        const { told, bills, calls } = await talk({ stream });
        expect([told.text.split(" ").length, told.calls.length]).toEqual([words, 0]);
        expectBills(told, bills);
        if (!upstream.reportsUsage) return;
        expect(told.output).toBe(words);
        expect(calls.map(({ promptTokens }) => promptTokens)).toEqual([told.input]);
      });

      test(`${pair}, ${how}: a second turn has the first before it`, async () => {
        const first = await talk({ stream });
        const { told, bills, calls } = await talk({ stream, later: true });
        expect(told.text.split(" ")).toHaveLength(words);
        expectBills(told, bills);
        const before = first.calls[0]?.promptTokens ?? 0;
        const said = firstTurn.asked.length + firstTurn.answered.length;
        // The demo upstream counts a token for four bytes.
        expect(calls[0]?.promptTokens).toBeGreaterThanOrEqual(before + Math.floor(said / 4));
      });

      test(`${pair}, ${how}: ${nameOf(upstream)}`, async () => {
        const prompt = "Please use the tools.";
        const charged = relay.money.settled.length;
        const asking = talk({ stream, prompt, tools: true });
        if (upstream.callsMax === 0) {
          expect(statusOf(await asking.catch((error: unknown) => error))).toBe(400);
          expect([relay.money.settled.length, demo.account().calls.length]).toEqual([charged, 0]);
          return;
        }
        const { told, bills } = await asking;
        const called = toolNames.slice(0, upstream.callsMax);
        expect(told.calls).toEqual(called.map((name) => ({ name, args })));
        expect(told.text.split(" ")).toHaveLength(words);
        expect(bills).toHaveLength(2);
        const sum = bills.reduce((all, { input, output }) => all + input + output, 0);
        expect(sum).toBe(told.input + told.output);
        const { losses } = relay.money.settled.at(-1)?.log ?? {};
        if (upstream.callsMax === 1) expect(losses).toContain("tool calls as text");
      });

      test(`${pair}, ${how}: reads the reasoning apart from the answer`, async () => {
        const { told, bills } = await talk({ stream, model: "m" });
        expect(told.text.split(" ")).toHaveLength(words);
        const reasoned = upstream.reasons ? scripts.m.reasoningEvents : 0;
        expectBills(told, bills);
        if (upstream.reportsUsage) {
          expect(bills.map(({ output }) => output)).toEqual([words + reasoned]);
        }
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

    // What comes in one piece has no middle in which a client could leave.
    if (isBrief || !upstream.streams) continue;

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

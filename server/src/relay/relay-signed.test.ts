/**
 * Conversations with signed reasoning, whose signatures only the provider that made them accepts:
 * they stay there, or go on elsewhere without, and the call says so.
 */

import { afterEach, expect, test } from "bun:test";
import { anthropic } from "#providers/anthropic.ts";
import { deepseek } from "#providers/deepseek.ts";
import { gemini } from "#providers/gemini.ts";
import { openrouter } from "#providers/openrouter.ts";
import { vertex } from "#providers/vertex.ts";
import {
  calledExactly,
  chatUpstream,
  generate,
  messages,
  openSigning,
  type Fields,
  type Turn,
} from "./testing/signing.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const open = async (opened: Parameters<typeof openSigning>[0]) => await openSigning(opened, stops);

const pairs = [
  { kind: messages, words: "Messages", providers: [anthropic, vertex] },
  { kind: messages, words: "Messages", providers: [deepseek, anthropic] },
  { kind: generate, words: "generateContent", providers: [gemini, vertex] },
] as const;

for (const { kind, words, providers } of pairs) {
  const of = providers.map(({ id }) => id).join(" and ");
  for (const stream of [false, true]) {
    const how = stream ? "streamed" : "whole";
    test(`T3: ${words} with signatures stay at who signed them, ${of}, ${how}`, async () => {
      const { post, tried } = await open({ kind, providers });
      for (let round = 0; round < 4; round += 1) {
        const first = await post(kind.first, stream);
        const second = await post(kind.goOn(kind.first, first.text), stream);
        const third = await post(kind.goOn(kind.goOn(kind.first, first.text), second.text), stream);
        expect([second.status, second.losses, third.status, third.losses]).toEqual([
          200,
          null,
          200,
          null,
        ]);
      }
      const channels = tried();
      expect(channels.map((ids) => ids.length)).toEqual(Array.from({ length: 12 }, () => 1));
      expect(new Set(channels.flat()).size).toBe(2);
    });

    test(`T3: ${words} go on elsewhere without foreign signatures, ${of}, ${how}`, async () => {
      const { post, tried, upstreams } = await open({ kind, providers });
      const first = await post(kind.first, stream);
      const issuer = tried()[0]?.[0] ?? 0;
      const down = upstreams[issuer - 1];
      const other = upstreams[2 - issuer];
      if (down !== undefined) down.state.isDown = true;
      const asked = kind.goOn(kind.first, first.text);
      const second = await post(asked, stream);

      expect(second.status).toBe(200);
      expect(second.losses).toMatch(/of earlier turns/);
      expect(tried()[1]).toEqual([issuer, 3 - issuer]);
      expect(other?.requests).toHaveLength(1);
      // The client keeps the first signature. The other upstream gets its own only, and at once.
      const third = await post(kind.goOn(asked, second.text), stream);
      expect(third.status).toBe(200);
      expect(tried()[2]).toEqual([3 - issuer]);
      expect(other?.requests).toHaveLength(2);
      expect([...(other?.last() ?? "").matchAll(kind.signatures)].length).toBeGreaterThan(0);
    });
  }

  test(`T3: signatures that nobody here remembers are left out when ${of} refuse them`, async () => {
    for (const index of [0, 1]) {
      const { post, tried, upstreams } = await open({
        kind,
        providers,
        change: (_, at) => (at === index ? {} : { status: 2 }),
      });
      const foreign = kind.answer("elsewhere".repeat(5), false);
      const { losses, status } = await post(kind.goOn(kind.first, foreign), false);

      expect(status).toBe(200);
      expect(losses).toMatch(/of earlier turns/);
      expect(tried()).toEqual([[index + 1, index + 1]]);
      expect(upstreams[index]?.requests).toHaveLength(2);
    }
  });
}

test("T3: a turn that loses its reasoning amid calls goes on without reasoning, every digit kept", async () => {
  const { post, tried, upstreams } = await open({ kind: messages, providers: [anthropic, vertex] });
  const first = await post(messages.first, false);
  const issuer = tried()[0]?.[0] ?? 0;
  const down = upstreams[issuer - 1];
  if (down !== undefined) down.state.isDown = true;
  const second = await post(messages.goOn(messages.first, first.text), false);

  expect(second.losses).toBe("reasoning of earlier turns, reasoning");
  const sent = upstreams[2 - issuer]?.last() ?? "";
  expect(sent).toContain(`{"role":"assistant","content":[${calledExactly}]}`);
  expect(sent).not.toContain("thinking");
});

test("T3: a turn without reasoning amid calls, as others answer, goes on without", async () => {
  for (const [kind, provider] of [
    [messages, anthropic],
    [generate, gemini],
  ] as const) {
    const { post, upstreams } = await open({ kind, providers: [provider] });
    const second = await post(kind.goOn(kind.first, ""), false);

    const lost = kind === messages ? "reasoning" : "signatures of earlier turns";
    expect([second.status, second.losses]).toEqual([200, lost]);
    expect(upstreams[0]?.requests).toHaveLength(2);
  }
});

test("T3: a refusal that nothing can be left out for is the client's at once", async () => {
  const kind = { ...generate, lacks: () => "Thought signature is not valid" };
  const { post, upstreams } = await open({ kind, providers: [gemini] });
  const { status, text } = await post(kind.first, false);

  expect([status, text.includes("Thought signature is not valid")]).toEqual([400, true]);
  expect(upstreams[0]?.requests).toHaveLength(1);
});

test("T3: while who signed a conversation rests, it is not asked", async () => {
  const { post, tried, upstreams } = await open({ kind: messages, providers: [anthropic, vertex] });
  const first = await post(messages.first, false);
  const issuer = tried()[0]?.[0] ?? 0;
  const down = upstreams[issuer - 1];
  if (down !== undefined) down.state.isDown = true;
  const asked = messages.goOn(messages.first, first.text);
  for (let round = 0; round < 2; round += 1) expect((await post(asked, false)).status).toBe(200);

  expect(tried().slice(1)).toEqual([[issuer, 3 - issuer], [3 - issuer]]);
});

test("T3: when the turn is over, reasoning stays on", async () => {
  const { post, tried, upstreams } = await open({ kind: messages, providers: [anthropic, vertex] });
  const first = await post(messages.first, false);
  const issuer = tried()[0]?.[0] ?? 0;
  const down = upstreams[issuer - 1];
  if (down !== undefined) down.state.isDown = true;
  const asked = messages.goOn(messages.first, first.text);
  const turns = asked["messages"] as readonly Turn[];
  const over = [
    { role: "assistant", content: "Found." },
    { role: "user", content: "Thanks." },
  ];
  const second = await post({ ...asked, messages: [...turns, ...over] }, false);

  expect(second.losses).toBe("reasoning of earlier turns");
  const sent = JSON.parse(upstreams[2 - issuer]?.last() ?? "{}") as Fields;
  expect(sent["thinking"]).toEqual(messages.first["thinking"]);
});

test("T3: who takes reasoning without a signature gets its text", async () => {
  const { post, tried, upstreams } = await open({
    kind: messages,
    providers: [anthropic, deepseek],
    change: (_, index) => ({ priority: 1 - index }),
  });
  const first = await post(messages.first, false);
  const [down] = upstreams;
  if (down !== undefined) down.state.isDown = true;
  const second = await post(messages.goOn(messages.first, first.text), false);

  expect([second.status, second.losses]).toEqual([200, "signatures of earlier turns"]);
  expect(tried()[1]).toEqual([1, 2]);
  const sent = upstreams[1]?.last() ?? "";
  expect(sent).toContain('{"type":"thinking","thinking":"Hm."}');
  expect(JSON.parse(sent)).toMatchObject({ thinking: messages.first["thinking"] });
});

test("T3: channels of one provider share a conversation, as before", async () => {
  for (const [kind, provider] of [
    [messages, anthropic],
    [generate, gemini],
  ] as const) {
    const opened = await open({ kind, providers: [provider, provider], names: ["same", "same"] });
    const { post, tried, upstreams } = opened;
    let asked = kind.first;
    for (let round = 0; round < 6; round += 1) {
      const { losses, status, text } = await post(asked, false);
      expect([status, losses]).toEqual([200, null]);
      asked = kind.goOn(asked, text);
    }
    expect(
      tried()
        .flat()
        .toSorted((a, b) => a - b),
    ).toEqual([1, 1, 1, 2, 2, 2]);
    expect(upstreams.map(({ requests }) => requests.length)).toEqual([3, 3]);
  }
});

test("T3: a conversation without signatures asks nobody, nor does one provider's", async () => {
  const asked: string[] = [];
  for (const providers of [
    [anthropic, vertex],
    [anthropic, anthropic],
  ]) {
    const { post, relay } = await open({ kind: messages, providers, names: ["same", "same"] });
    const find = relay.issuers.find.bind(relay.issuers);
    relay.issuers.find = async (text) => {
      asked.push(text);
      return await find(text);
    };
    const isOne = providers[1] === anthropic;
    await post(
      isOne ? messages.goOn(messages.first, '"signature":"same1"') : messages.first,
      false,
    );
  }
  expect(asked).toEqual([]);
});

test("T3: a model of another family does not get the signatures of the first, though one provider offers both", async () => {
  const { post, upstreams } = await open({
    kind: messages,
    providers: [anthropic, anthropic],
    names: ["claude", "kimi"],
    change: (_, index) =>
      index === 0 ? {} : { modelMapping: new Map([["m", "kimi-k2"]]), priority: -1 },
  });
  const first = await post(messages.first, false);
  const [down, other] = upstreams;
  if (down !== undefined) down.state.isDown = true;
  const second = await post(messages.goOn(messages.first, first.text), false);

  expect([second.status, second.losses]).toEqual([200, "reasoning of earlier turns, reasoning"]);
  expect(other?.requests).toHaveLength(1);
});

for (const stream of [false, true]) {
  test(`T3: a conversation that another format's upstream began stays there, ${stream ? "streamed" : "whole"}`, async () => {
    const chat = await chatUpstream();
    stops.push(chat.stop);
    const { post, tried } = await open({
      kind: messages,
      providers: [anthropic, openrouter],
      change: (_, index) => (index === 0 ? {} : { baseUrl: chat.url }),
    });
    for (let round = 0; round < 4; round += 1) {
      const first = await post(messages.first, stream);
      const second = await post(messages.goOn(messages.first, first.text), stream);
      const [began = [], wentOn] = tried().slice(-2);
      expect([second.status, wentOn]).toEqual([200, began]);
      expect(first.text.includes('"signature":"Tollgate')).toBe(began[0] === 2);
    }
    expect(new Set(tried().flat()).size).toBe(2);
  });
}

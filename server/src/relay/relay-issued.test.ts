/**
 * Conversations that only the upstream that began them can go on with: their next calls go there,
 * or say what is left out.
 */

import { afterEach, expect, test } from "bun:test";
import type { ChannelView } from "#ports/snapshot.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { openTestRelay, testChannel, testKey, testUser } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Asked = {
  readonly previous_response_id?: string;
  readonly input: readonly { readonly encrypted_content?: string }[];
};

const json = (status: string, body: object): string => {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

const refusal = (code: string, param: string): string =>
  json("400 Bad Request", {
    error: { type: "invalid_request_error", code, param, message: "it was not issued here" },
  });

const events = (response: object): string => {
  const lines = [
    { type: "response.created", sequence_number: 0, response: { ...response, output: [] } },
    { type: "response.output_text.delta", sequence_number: 1, delta: "4" },
    { type: "response.completed", sequence_number: 2, response },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const body = lines.join("");
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/**
 * An upstream that goes on with what itself has issued under the same key, and refuses everything
 * else, as OpenAI does.
 */
async function issuingUpstream(name: string) {
  let count = 0;
  const state = { isDown: false };
  const upstream = await startUpstream((socket, request) => {
    const key = /authorization: bearer (\S+)/i.exec(request)?.[1] ?? "";
    const stamp = `${name}_${key}`;
    const text = request.slice(request.indexOf("\r\n\r\n") + 4);
    const asked = JSON.parse(text) as Asked & {
      readonly stream?: boolean;
      readonly store?: boolean;
    };
    const id = asked.previous_response_id ?? "";
    const sealed = asked.input.map((item) => item.encrypted_content ?? "");
    if (state.isDown) return void socket.write(json("503 Busy", { error: { message: "busy" } }));
    if (id !== "" && !id.startsWith(`resp_${stamp}`)) {
      return void socket.write(refusal("previous_response_not_found", "previous_response_id"));
    }
    if (sealed.some((each) => each !== "" && !each.startsWith(`sealed_${stamp}`))) {
      return void socket.write(refusal("invalid_encrypted_content", "input"));
    }
    count += 1;
    const response = {
      id: `resp_${stamp}_${count}`,
      object: "response",
      status: "completed",
      store: asked.store ?? true,
      output: [
        {
          id: `rs_${count}`,
          type: "reasoning",
          summary: [],
          encrypted_content: `sealed_${stamp}_${count}`,
        },
        {
          id: `msg_${count}`,
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "4" }],
        },
      ],
      usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
    };
    socket.write(asked.stream === true ? events(response) : json("200 OK", response));
  });
  return { ...upstream, state };
}

const question = { role: "user", content: "What is 2+2?" };

type Answer = {
  readonly id: string;
  readonly output: readonly Readonly<Record<string, unknown>>[];
};

/** Opens a relay over two upstreams of the same priority, which are chosen in turn. */
async function open(
  change: (channel: ChannelView, index: number) => Partial<ChannelView> = () => ({}),
) {
  const upstreams = await Promise.all(["a", "b"].map((name) => issuingUpstream(name)));
  const channels = upstreams.map(({ url }, index) => {
    const channel = testChannel({ id: index + 1, baseUrl: url, keys: [`k${index}`] });
    return { ...channel, ...change(channel, index) };
  });
  let turn = 0;
  const random = (): number => {
    turn += 1;
    return (turn % 2) * 0.5;
  };
  const relay = openTestRelay({ channels, random });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const post = async (body: object) => {
    const response = await fetch(`${relay.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify({ model: "m", ...body }),
    });
    const text = await response.text();
    const last = text.trim().split("\n").at(-1) ?? "";
    const answer = text.startsWith("{")
      ? (JSON.parse(text) as Answer & { readonly error?: object })
      : (JSON.parse(last.replace("data: ", "")) as { readonly response: Answer }).response;
    return { status: response.status, losses: response.headers.get("x-tollgate-losses"), answer };
  };
  const tried = () => relay.money.settled.map(({ log }) => log.tried);
  return { relay, channels, upstreams, post, tried };
}

for (const stream of [false, true]) {
  const words = stream ? "streamed" : "whole";
  test(`T4: a response is continued at the upstream that keeps it, ${words}`, async () => {
    const { post, tried } = await open();
    for (let round = 0; round < 3; round += 1) {
      const first = await post({ stream, input: [question] });
      const second = await post({
        stream,
        previous_response_id: first.answer.id,
        input: [question],
      });
      expect([second.status, second.losses]).toEqual([200, null]);
    }
    const channels = tried();
    expect(channels.map((ids) => ids.length)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(new Set(channels.flat()).size).toBe(2);
  });

  test(`T4: encrypted reasoning goes back to the upstream that can read it, ${words}`, async () => {
    const { post, tried } = await open();
    for (let round = 0; round < 3; round += 1) {
      const first = await post({ stream, store: false, input: [question] });
      const second = await post({
        stream,
        store: false,
        input: [question, ...first.answer.output, question],
      });
      expect([second.status, second.losses]).toEqual([200, null]);
    }
    expect(tried().map((ids) => ids.length)).toEqual([1, 1, 1, 1, 1, 1]);
  });
}

test("T4: of a channel with several keys, the one that began the conversation is used again", async () => {
  const keys = ["k1", "k2", "k3"];
  const { post } = await open((_, index) => (index === 0 ? { keys } : { status: 2 }));
  for (let round = 0; round < 4; round += 1) {
    const first = await post({ input: [question] });
    const second = await post({ previous_response_id: first.answer.id, input: [question] });
    expect(second.status).toBe(200);
  }
});

test("T4: when the upstream of a conversation fails, another gets it without the encrypted reasoning", async () => {
  const { post, relay, upstreams } = await open();
  const first = await post({ store: false, input: [question] });
  const issuer = relay.money.settled[0]?.log.tried[0] ?? 0;
  const down = upstreams[issuer - 1];
  if (down !== undefined) down.state.isDown = true;
  const second = await post({ store: false, input: [question, ...first.answer.output, question] });

  expect([second.status, second.losses]).toEqual([200, "reasoning of earlier turns"]);
  const { losses, tried } = relay.money.settled[1]?.log ?? {};
  expect(losses).toEqual(["reasoning of earlier turns"]);
  expect(tried).toEqual([issuer, 3 - issuer]);
  const sent = upstreams[2 - issuer]?.requests.at(-1) ?? "";
  const { content } = first.answer.output[1] ?? {};
  expect(JSON.parse(sent.slice(sent.indexOf("\r\n\r\n")))).toEqual({
    model: "m",
    store: false,
    // The id of an item is bound to its upstream, too.
    input: [question, { type: "message", role: "assistant", content }, question],
  });
});

test("T4: reasoning that nobody here remembers is left out when the upstream refuses it", async () => {
  for (const provider of [undefined, anthropic]) {
    // The second channel makes no difference: with one channel nothing is remembered.
    const { post, relay } = await open((channel, index) =>
      index === 0 ? {} : { provider: provider ?? channel.provider, status: 2 },
    );
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "sealed_elsewhere" };
    const { losses, status } = await post({ input: [question, reasoning, question] });

    expect([status, losses]).toEqual([200, "reasoning of earlier turns"]);
    expect(relay.money.settled).toHaveLength(1);
  }
});

test("T4: a summary of the conversation that the upstream refuses is not left out: the call is refused", async () => {
  const { post, relay } = await open();
  const summary = { type: "compaction", encrypted_content: "sealed_elsewhere" };
  const { answer, status } = await post({ input: [summary, question] });

  expect(status).toBe(400);
  expect(answer).toMatchObject({ error: { param: "encrypted_content" } });
  expect(relay.money.settled).toEqual([]);
});

test("T4: a response whose channel is gone, or that another user began, is refused by name", async () => {
  const { channels, post, relay } = await open();
  const first = await post({ input: [question] });
  const again = { previous_response_id: first.answer.id, input: [question] };
  const refused = {
    error: { code: "previous_response_not_found", param: "previous_response_id" },
  };

  relay.callers.user = { id: testUser.id };
  relay.issuers.note([first.answer.id], { userId: 8, channelId: 1, key: "k0" });
  const foreign = await post(again);
  expect([foreign.status, foreign.answer]).toMatchObject([400, refused]);

  const issuer = relay.money.settled[0]?.log.tried[0] ?? 0;
  relay.issuers.note([first.answer.id], { userId: testUser.id, channelId: 99, key: "k0" });
  const gone = await post(again);
  expect([gone.status, gone.answer]).toMatchObject([400, refused]);

  relay.issuers.note([first.answer.id], {
    userId: testUser.id,
    channelId: issuer,
    key: channels[issuer - 1]?.keys[0] ?? "",
  });
  expect((await post(again)).status).toBe(200);
});

test("T4: a kept response is not asked for elsewhere when its upstream fails", async () => {
  const { post, relay, upstreams } = await open();
  const first = await post({ input: [question] });
  const issuer = relay.money.settled[0]?.log.tried[0] ?? 0;
  for (const { state } of upstreams) state.isDown = true;
  const before = upstreams.map(({ requests }) => requests.length);
  const second = await post({ previous_response_id: first.answer.id, input: [question] });

  expect(second.status).toBe(503);
  const sent = upstreams.map(({ requests }, index) => requests.length - (before[index] ?? 0));
  expect(sent[issuer - 1]).toBe(1);
  expect(sent[2 - issuer]).toBe(0);
});

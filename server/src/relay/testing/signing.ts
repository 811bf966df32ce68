/** Upstreams whose reasoning is signed, and that refuse the signatures of others. */

import { startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import type { Provider } from "#providers/provider.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey } from "./relay.ts";

export type Fields = Readonly<Record<string, unknown>>;
export type Turn = { readonly role: string; readonly content: unknown };

const headed = (status: string, type: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const json = (status: string, body: object): string =>
  headed(status, "application/json", JSON.stringify(body));
const events = (list: readonly Fields[], isNamed: boolean): string =>
  headed(
    "200 OK",
    "text/event-stream",
    list
      .map((event) => {
        const name = isNamed ? `event: ${String(event["type"])}\n` : "";
        return `${name}data: ${JSON.stringify(event)}\n\n`;
      })
      .join(""),
  );

/** How a format's upstream answers, what it refuses, and how its conversation goes on. */
type Kind = {
  readonly path: (stream: boolean) => string;
  readonly model: string;
  readonly first: Fields;
  /** Adds the answer, and results of its calls, to the request. */
  goOn(request: Fields, answer: string): Fields;
  answer(signature: string, stream: boolean): string;
  readonly signatures: RegExp;
  /** Why an upstream refuses the request that lacks what it should have; empty: it does not. */
  lacks(request: Fields): string;
  readonly refusal: string;
};

const usage = { input_tokens: 9, output_tokens: 5 };
const call = { type: "tool_use", id: "toolu_1", name: "look", input: { id: "a long number" } };
/** The call as it is sent, with a number that JavaScript cannot hold. */
export const calledExactly = JSON.stringify(call).replace('"a long number"', "12345678901234567");

export const messages: Kind = {
  path: () => "/v1/messages",
  model: "claude-sonnet-4-5",
  first: {
    model: "m",
    max_tokens: 4_000,
    thinking: { type: "enabled", budget_tokens: 2_000 },
    context_management: { edits: [{ type: "clear_thinking_20251015" }] },
    messages: [{ role: "user", content: "Look." }],
  },
  signatures: /"signature":"([^"]+)"/g,
  lacks({ messages: turns, thinking }) {
    // Safe cast: the requests of this file have messages.
    const list = turns as readonly Turn[];
    const loop = list.findLastIndex(({ role }) => role === "assistant");
    const isOpen = loop >= 0 && Array.isArray(list.at(-1)?.content);
    const begins = JSON.stringify(list[loop]?.content ?? "").startsWith('[{"type":"thinking"');
    return thinking !== undefined && isOpen && !begins
      ? `messages.${loop}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\``
      : "";
  },
  refusal: "messages.1.content.0: Invalid `signature` in `thinking` block",
  answer(signature, stream) {
    const head = { id: "msg_1", type: "message", role: "assistant", model: "m", usage };
    const thinking = { type: "thinking", thinking: "Hm.", signature };
    if (!stream) {
      const content = [thinking, call];
      return json("200 OK", { ...head, content, stop_reason: "tool_use" });
    }
    const delta = (index: number, fields: Fields): Fields => ({
      type: "content_block_delta",
      index,
      delta: fields,
    });
    const start = (index: number, block: Fields): Fields => ({
      type: "content_block_start",
      index,
      content_block: block,
    });
    return events(
      [
        { type: "message_start", message: { ...head, content: [] } },
        start(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "Hm." }),
        delta(0, { type: "signature_delta", signature }),
        { type: "content_block_stop", index: 0 },
        start(1, { ...call, input: {} }),
        delta(1, { type: "input_json_delta", partial_json: "{}" }),
        { type: "content_block_stop", index: 1 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
        { type: "message_stop" },
      ],
      true,
    );
  },
  goOn(request, answer) {
    const [signature = ""] = [...answer.matchAll(messages.signatures)].map(([, text]) => text);
    const thinking = { type: "thinking", thinking: "Hm.", signature };
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "found" };
    const turns: readonly Turn[] = [
      // Safe cast: the requests of this file have messages.
      ...(request["messages"] as readonly Turn[]),
      { role: "assistant", content: signature === "" ? [call] : [thinking, call] },
      { role: "user", content: [result] },
    ];
    return { ...request, messages: turns };
  },
};

export const generate: Kind = {
  path: (stream) =>
    `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  model: "gemini-3-pro",
  first: { contents: [{ role: "user", parts: [{ text: "Look." }] }] },
  signatures: /"thoughtSignature":"([^"]+)"/g,
  lacks: (request) =>
    JSON.stringify(request).includes('"args":{}}}')
      ? "Function call is missing a thought_signature in functionCall parts."
      : "",
  refusal: "Corrupted thought signature.",
  answer(signature, stream) {
    const part = { functionCall: { name: "look", args: {} }, thoughtSignature: signature };
    const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 };
    const body = { candidates: [candidate], usageMetadata };
    return stream ? events([body], false) : json("200 OK", body);
  },
  goOn(request, answer) {
    const [signature = ""] = [...answer.matchAll(generate.signatures)].map(([, text]) => text);
    const sign = signature === "" ? {} : { thoughtSignature: signature };
    const part = { functionCall: { name: "look", args: {} }, ...sign };
    const result = { functionResponse: { name: "look", response: { output: "found" } } };
    return {
      contents: [
        // Safe cast: the requests of this file have contents.
        ...(request["contents"] as readonly Fields[]),
        { role: "model", parts: [part] },
        { role: "user", parts: [result] },
      ],
    };
  },
};

/** An upstream that refuses every signature that it has not made itself. */
async function signingUpstream(kind: Kind, name: string) {
  let count = 0;
  const state = { isDown: false };
  const upstream = await startUpstream((socket, request) => {
    const body = request.slice(request.indexOf("\r\n\r\n") + 4);
    const sent = [...body.matchAll(kind.signatures)].map(([, text]) => text ?? "");
    const foreign = sent.filter((text) => !text.startsWith(name) && !text.startsWith("skip_"));
    if (state.isDown) {
      const status = "429 Busy\r\nretry-after: 60";
      return void socket.write(json(status, { error: { message: "busy" } }));
    }
    const lack = kind.lacks(JSON.parse(body) as Fields);
    const message = foreign.length > 0 ? kind.refusal : lack;
    if (message !== "") {
      const error = { type: "invalid_request_error", status: "INVALID_ARGUMENT", message };
      return void socket.write(json("400 Bad Request", { type: "error", error }));
    }
    count += 1;
    const stream = /^POST [^ ]*:streamGenerate/.test(request) || body.includes('"stream":true');
    socket.write(kind.answer(`${name}${String(count).padStart(40, "0")}`, stream));
  });
  return { ...upstream, state, last: () => bodyOf(upstream.requests.at(-1) ?? "") };
}

const bodyOf = (request: string): string => request.slice(request.indexOf("\r\n\r\n") + 4);

type Opened = {
  readonly kind: Kind;
  readonly providers: readonly Provider[];
  readonly names?: readonly string[];
  readonly change?: (channel: ChannelView, index: number) => Partial<ChannelView>;
};

/**
 * Opens a relay over one upstream for each provider, which are chosen in turn.
 *
 * @param stops gets what ends the relay and the upstreams.
 */
export async function openSigning(
  { kind, providers, names, change = () => ({}) }: Opened,
  stops: (() => Promise<void>)[],
) {
  const upstreams = await Promise.all(
    providers.map((provider, index) => signingUpstream(kind, names?.[index] ?? provider.id)),
  );
  const channels = upstreams.map(({ url }, index) => {
    const channel = testChannel({
      id: index + 1,
      baseUrl: url,
      provider: providers[index] ?? anthropic,
      keys: [`k${index}`],
      models: new Set(["m"]),
      modelMapping: new Map([["m", kind.model]]),
    });
    return { ...channel, ...change(channel, index) };
  });
  let turn = 0;
  const random = (): number => {
    turn += 1;
    return (turn % providers.length) / providers.length;
  };
  // The turns of a conversation go to one channel after another.
  const relay = openTestRelay({ channels, random, options: { placesByGroup: { default: "off" } } });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const post = async (request: Fields, stream: boolean) => {
    const asked = kind === messages ? { ...request, stream } : request;
    const response = await fetch(relay.url + kind.path(stream), {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify(asked).replaceAll(JSON.stringify(call), calledExactly),
    });
    const losses = response.headers.get("x-tollgate-losses");
    return { status: response.status, losses, text: await response.text() };
  };
  const tried = () => relay.money.settled.map(({ log }) => log.tried);
  return { relay, channels, upstreams, post, tried };
}

/** An upstream of another format, whose reasoning is signed, too. */
export async function chatUpstream() {
  const detail = {
    type: "reasoning.text",
    text: "Hm.",
    signature: "signed-there".repeat(4),
    index: 0,
  };
  const spoken = { content: "4", reasoning: "Hm.", reasoning_details: [detail] };
  const usageOfChat = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
  const head = { id: "c", model: "m", created: 1 };
  return await startUpstream((socket, request) => {
    if (!bodyOf(request).includes('"stream":true')) {
      const message = { role: "assistant", ...spoken };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return void socket.write(
        json("200 OK", { ...head, object: "chat.completion", choices, usage: usageOfChat }),
      );
    }
    const chunk = (choices: readonly Fields[], more: Fields = {}): Fields => ({
      ...head,
      object: "chat.completion.chunk",
      choices,
      ...more,
    });
    const list = [
      chunk([{ index: 0, delta: { role: "assistant", ...spoken }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
      chunk([], { usage: usageOfChat }),
    ];
    socket.write(events(list, false));
  });
}

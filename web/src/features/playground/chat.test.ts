import { expect, test } from "bun:test";
import type { ChatCall, ChatEnd, ChatListeners } from "#api/stream.ts";
import { type CallSettings, type Chat, newConversation, openChat } from "./chat.ts";
import { type Answer, type Conversation, sentMessages, titleOf } from "./conversation.ts";
import {
  charactersMax,
  conversationsMax,
  fit,
  forgetConversation,
  keepConversation,
  readHistory,
  type Shelf,
} from "./history.ts";

const settings: CallSettings = { model: "m", group: "vip", temperature: 0, maxTokens: 0 };

type Call = {
  readonly body: ChatCall;
  readonly listeners: ChatListeners;
  readonly signal: AbortSignal;
  readonly end: (end: ChatEnd) => void;
};

/** Opens a chat whose calls the test answers itself. Frames are painted immediately. */
function open(first: Conversation = newConversation("c1", 0)) {
  const calls: Call[] = [];
  const kept: Conversation[] = [];
  let ids = 0;
  let ms = 0;
  const chat = openChat(
    {
      stream: async (body, listeners, signal) => {
        const { promise, resolve } = Promise.withResolvers<ChatEnd>();
        signal.addEventListener("abort", () => resolve({ kind: "stopped" }));
        calls.push({ body, listeners, signal, end: resolve });
        return await promise;
      },
      readCharge: async (requestId) => ({ quota: requestId.length, input: 1, output: 2 }),
      keep: (conversation) => void kept.push(conversation),
      newId: () => `id${(ids += 1)}`,
      now: () => 1,
      nowMs: () => (ms += 100),
      nextFrame: (callback) => callback(),
    },
    first,
  );
  return { chat, calls, kept };
}

const answersOf = (chat: Chat): Answer[] =>
  chat.state
    .read()
    .conversation.messages.flatMap((message) => (message.role === "assistant" ? [message] : []));
const settle = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 0));

test("O-535 O-536 O-544 O-548 O-549 O-550: an answer is loading, then incomplete as it grows, then complete", async () => {
  const { chat, calls, kept } = open();
  chat.setSystem("be brief");
  expect(chat.ask({ content: "你好", images: [] }, settings)).toBe(true);
  expect(answersOf(chat)[0]).toMatchObject({ status: "loading", content: "" });
  expect(calls[0]?.body).toEqual({
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "你好" },
    ],
    stream: true,
    model: "m",
    group: "vip",
    max_tokens: 0,
    temperature: 0,
  });
  calls[0]?.listeners.onHead("req");
  calls[0]?.listeners.onPiece({ content: "", reasoning: "hm" });
  calls[0]?.listeners.onPiece({ content: "hel", reasoning: "" });
  expect(answersOf(chat)[0]).toMatchObject({ status: "incomplete", content: "hel", firstMs: 100 });
  calls[0]?.listeners.onPiece({ content: "lo", reasoning: "" });
  calls[0]?.end({ kind: "done" });
  await settle();
  expect(answersOf(chat)).toMatchObject([
    {
      status: "complete",
      content: "hello",
      reasoning: "hm",
      requestId: "req",
      charge: { quota: 3, input: 1, output: 2 },
    },
  ]);
  expect(chat.state.read().writing).toBeNull();
  expect(kept.at(-1)?.messages).toEqual(chat.state.read().conversation.messages);
});

test("O-546 O-547 O-551: a failed answer is an error, with the text that came and the reason", async () => {
  const { chat, calls } = open();
  chat.ask({ content: "a", images: [] }, settings);
  calls[0]?.listeners.onPiece({ content: "half", reasoning: "" });
  calls[0]?.end({ kind: "failed", status: 200, fault: { message: "broke", code: "x" } });
  await settle();
  expect(answersOf(chat)).toMatchObject([
    { status: "error", content: "half", fault: { message: "broke", code: "x" } },
  ]);
});

test("only one answer is written at a time; a stop keeps its text and allows the next question", async () => {
  const { chat, calls } = open();
  chat.ask({ content: "a", images: [] }, settings);
  expect(chat.ask({ content: "b", images: [] }, settings)).toBe(false);
  calls[0]?.listeners.onPiece({ content: "half", reasoning: "" });
  chat.stop();
  await settle();
  expect(answersOf(chat)).toMatchObject([{ status: "incomplete", content: "half", fault: null }]);
  expect(chat.ask({ content: "b", images: [] }, settings)).toBe(true);
  expect(calls[1]?.body.messages).toMatchObject([
    { content: "a" },
    { role: "assistant", content: "half" },
    { content: "b" },
  ]);
});

test("a retry and an edit remove the messages after them, and undo restores those", async () => {
  const { chat, calls } = open();
  chat.ask({ content: "a", images: [] }, settings);
  calls[0]?.end({ kind: "done" });
  await settle();
  chat.ask({ content: "b", images: [] }, settings);
  calls[1]?.end({ kind: "done" });
  await settle();
  const { messages } = chat.state.read().conversation;
  const [question, answer] = messages;
  chat.edit(question?.id ?? "", "changed", settings);
  expect(calls[2]?.body.messages).toEqual([{ role: "user", content: "changed" }]);
  calls[2]?.end({ kind: "done" });
  await settle();
  chat.restore(messages);
  chat.retry(answer?.id ?? "", { ...settings, model: "other" });
  expect(calls[3]?.body).toMatchObject({ model: "other", messages: [{ content: "a" }] });
  calls[3]?.end({ kind: "done" });
  await settle();
  expect(chat.state.read().conversation.messages).toHaveLength(2);
  chat.remove(question?.id ?? "");
  expect(chat.state.read().conversation.messages).toHaveLength(1);
});

test("undo removes an answer that is being written", async () => {
  const { chat, calls } = open();
  chat.ask({ content: "a", images: [] }, settings);
  calls[0]?.end({ kind: "done" });
  await settle();
  const { messages } = chat.state.read().conversation;
  chat.retry(messages[1]?.id ?? "", settings);
  chat.restore(messages);
  calls[1]?.listeners.onPiece({ content: "late", reasoning: "" });
  await settle();
  expect(calls[1]?.signal.aborted).toBe(true);
  expect(chat.state.read()).toMatchObject({ writing: null });
  expect(chat.state.read().conversation.messages).toEqual(messages);
});

test("the cost of an answer is read later if the window was closed too early", async () => {
  const { chat, calls } = open();
  chat.ask({ content: "a", images: [] }, settings);
  calls[0]?.listeners.onHead("req");
  const left = chat.state.read().conversation;
  const again = open(left);
  await settle();
  expect(answersOf(again.chat)[0]?.charge).toEqual({ quota: 3, input: 1, output: 2 });
});

test("opening another conversation stops the answer, which stays in its own", async () => {
  const { chat, calls, kept } = open();
  chat.ask({ content: "a", images: [] }, settings);
  calls[0]?.listeners.onPiece({ content: "half", reasoning: "" });
  chat.open(newConversation("c2", 0));
  calls[0]?.listeners.onPiece({ content: "late", reasoning: "" });
  await settle();
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(chat.state.read()).toMatchObject({
    conversation: { id: "c2", messages: [] },
    writing: null,
  });
  const left = kept.findLast(({ id }) => id === "c1");
  expect(left?.messages[1]).toMatchObject({ status: "incomplete", content: "half" });
  expect(chat.ask({ content: "b", images: [] }, settings)).toBe(true);
});

test("pictures are sent beside the text; empty answers are not sent", () => {
  const image = "data:image/png;base64,AA";
  expect(
    sentMessages(" ", [
      { role: "user", id: "1", content: "look", images: [image] },
      { role: "user", id: "2", content: "", images: [image] },
    ]),
  ).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: image } },
      ],
    },
    { role: "user", content: [{ type: "image_url", image_url: { url: image } }] },
  ]);
});

/** Simulates a browser's storage that has only `room` characters per value. */
function openShelf(room = Infinity): Shelf {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem(key, value) {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
  };
}

const asked = (id: string, content: string, images: string[] = []): Conversation => ({
  ...newConversation(id, 0),
  messages: [{ role: "user", id: `${id}-1`, content, images }],
});

test("history keeps the newest conversations of one user, within its limits", () => {
  const shelf = openShelf();
  for (let index = 0; index < conversationsMax + 5; index += 1) {
    keepConversation(shelf, 1, asked(`c${index}`, `第 ${index} 个`));
  }
  const history = readHistory(shelf, 1);
  expect(history).toHaveLength(conversationsMax);
  expect(titleOf(history[0] ?? asked("", ""))).toBe(`第 ${conversationsMax + 4} 个`);
  expect(readHistory(shelf, 2)).toEqual([]);
  keepConversation(shelf, 1, newConversation(history[0]?.id ?? "", 0));
  forgetConversation(shelf, 1, history[1]?.id ?? "");
  expect(readHistory(shelf, 1)).toHaveLength(conversationsMax - 2);
});

test("a conversation that is too large loses its pictures first, then its oldest messages", () => {
  const image = `data:image/png;base64,${"A".repeat(charactersMax)}`;
  expect(fit([asked("c", "look", [image])])).toEqual([asked("c", "look")]);
  expect(fit([asked("c", "x"), asked("d", "y".repeat(charactersMax))])).toEqual([asked("c", "x")]);
  expect(fit([asked("c", "y".repeat(charactersMax))])[0]?.messages).toEqual([]);
});

test("a browser without room keeps the newest that fits, and broken storage is empty", () => {
  const shelf = openShelf(600);
  for (const id of ["a", "b", "c", "d", "e"]) keepConversation(shelf, 1, asked(id, "x".repeat(80)));
  const ids = readHistory(shelf, 1).map(({ id }) => id);
  expect(ids[0]).toBe("e");
  expect(ids.length).toBeLessThan(5);
  const broken = openShelf();
  broken.setItem("playground-1", '{"not":"a list"}');
  expect(readHistory(broken, 1)).toEqual([]);
  broken.setItem("playground-1", "[1,{}");
  expect(readHistory(broken, 1)).toEqual([]);
});

test("an answer that a closed window left half-written is marked as not running", () => {
  const shelf = openShelf();
  const { chat, kept } = open();
  chat.ask({ content: "a", images: [] }, settings);
  const left = kept.at(-1);
  if (left !== undefined) keepConversation(shelf, 1, left);
  expect(readHistory(shelf, 1)[0]?.messages[1]).toMatchObject({ status: "incomplete" });
});

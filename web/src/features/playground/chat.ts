/**
 * The open conversation, and the answer that is being written to it. Kept outside the components,
 * so that the answer continues while the user visits another screen.
 */

import type { ChatCall, ChatEnd, ChatListeners } from "#api/stream.ts";
import { openFrameBuffer } from "#api/stream.ts";
import { openStore, type Store } from "#api/store.ts";
import {
  type Answer,
  type AnswerCharge,
  askedBefore,
  type Conversation,
  editedAt,
  type Message,
  messagesMax,
  type Question,
  sentMessages,
  settled,
  withMessage,
} from "./conversation.ts";

export type CallSettings = {
  readonly model: string;
  readonly group: string;
  readonly temperature: number;
  /** 0: no limit. */
  readonly maxTokens: number;
};

export type ChatState = {
  readonly conversation: Conversation;
  /** The id of the answer that is being written; null: none is. */
  readonly writing: string | null;
};

export type Chat = {
  readonly state: Pick<Store<ChatState>, "read" | "subscribe">;
  /**
   * Adds a question and has it answered. False: refused, because an answer is being written or the
   * conversation is too long.
   */
  ask(question: Pick<Question, "content" | "images">, settings: CallSettings): boolean;
  /** Has a question answered again; removes its old answer and all messages after that. */
  retry(answerId: string, settings: CallSettings): void;
  /** Changes a question and has it answered again; removes all messages after it. */
  edit(questionId: string, content: string, settings: CallSettings): void;
  remove(messageId: string): void;
  /**
   * Replaces the messages by earlier ones, after a removal; stops an answer that is being written.
   */
  restore(messages: readonly Message[]): void;
  setSystem(system: string): void;
  /**
   * Stores the system prompt that `setSystem` set. Called when typing ends, because each call
   * stores all conversations.
   */
  keepSystem(): void;
  stop(): void;
  /** Opens another conversation; stops an answer that is being written. */
  open(conversation: Conversation): void;
};

type ChatDeps = {
  readonly stream: (
    body: ChatCall,
    listeners: ChatListeners,
    signal: AbortSignal,
  ) => Promise<ChatEnd>;
  /**
   * Reads the cost of a call from its log row. Null: unknown. Never rejects.
   *
   * @param isLate whether the row may be written only some time after the answer.
   */
  readonly readCharge: (requestId: string, isLate: boolean) => Promise<AnswerCharge | null>;
  readonly keep: (conversation: Conversation) => void;
  readonly newId: () => string;
  /** The time in Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, to measure durations. */
  readonly nowMs: () => number;
  readonly nextFrame: (callback: () => void) => unknown;
};

type Run = { readonly id: string; readonly stopper: AbortController; flush: () => void };

/** The state that is shared by the chat's functions and the answer being written. */
type Desk = {
  readonly store: Store<ChatState>;
  /** The answer that is being written; null: none is. */
  run: Run | null;
  setMessages(messages: readonly Message[], writing: string | null): void;
  keep(): void;
};

export function openChat(deps: ChatDeps, first: Conversation): Chat {
  const desk = openDesk(deps, first);
  const { store, keep, setMessages } = desk;
  const messagesNow = (): readonly Message[] => store.read().conversation.messages;

  function begin(messages: readonly Message[] | undefined, settings: CallSettings): boolean {
    if (desk.run !== null || messages === undefined || messages.length >= messagesMax) return false;
    void answer(deps, desk, messages, settings);
    return true;
  }

  /** Stops the answer that is being written, and keeps the part of it that has arrived. */
  function breakOff(): void {
    const { run } = desk;
    if (run === null) return;
    run.flush();
    run.stopper.abort();
    desk.run = null;
    setMessages(settled(messagesNow()), null);
    keep();
  }

  function put(messages: readonly Message[]): void {
    setMessages(messages, null);
    keep();
  }

  void fillCharges(deps, desk);

  return {
    state: store,
    ask: ({ content, images }, settings) =>
      begin([...messagesNow(), { role: "user", id: deps.newId(), content, images }], settings),
    retry: (answerId, settings) => void begin(askedBefore(messagesNow(), answerId), settings),
    edit: (id, content, settings) => void begin(editedAt(messagesNow(), id, content), settings),
    remove(messageId) {
      if (desk.run === null) put(messagesNow().filter(({ id }) => id !== messageId));
    },
    restore(messages) {
      breakOff();
      put(messages);
    },
    setSystem(system) {
      const { conversation, writing } = store.read();
      store.write({ conversation: { ...conversation, system }, writing });
    },
    keepSystem() {
      if (messagesNow().length > 0) keep();
    },
    stop: () => desk.run?.stopper.abort(),
    open(conversation) {
      breakOff();
      store.write({ conversation, writing: null });
      void fillCharges(deps, desk);
    },
  };
}

/** The number of newest answers whose cost is read if it is missing. */
const filledMax = 10;

/** Reads the cost of answers that have none, because the window was closed before it was read. */
async function fillCharges({ readCharge }: ChatDeps, desk: Desk): Promise<void> {
  const { messages } = desk.store.read().conversation;
  for (const message of messages.slice(-2 * filledMax)) {
    if (message.role !== "assistant" || message.charge !== null) continue;
    if (message.requestId === null) continue;
    const charge = await readCharge(message.requestId, false);
    if (charge !== null) patch(desk, message.id, { charge });
  }
}

function openDesk(deps: ChatDeps, first: Conversation): Desk {
  const store = openStore<ChatState>({ conversation: first, writing: null });
  return {
    store,
    run: null,
    setMessages(messages, writing) {
      const { conversation } = store.read();
      store.write({
        conversation: { ...conversation, messages: [...messages], changedAt: deps.now() },
        writing,
      });
    },
    keep: () => deps.keep(store.read().conversation),
  };
}

/** Changes an answer; does nothing if its conversation is no longer the open one. */
function patch({ store, setMessages }: Desk, id: string, change: Partial<Answer>): void {
  const { conversation, writing } = store.read();
  if (!conversation.messages.some((message) => message.id === id)) return;
  setMessages(withMessage(conversation.messages, id, change), writing);
}

/** Runs one answer: makes the call, writes the text as it arrives, then reads the cost. */
async function answer(
  deps: ChatDeps,
  desk: Desk,
  messages: readonly Message[],
  settings: CallSettings,
): Promise<void> {
  const id = deps.newId();
  const made = newAnswer(id, settings);
  const stopper = new AbortController();
  const frames = openFrameBuffer(
    (change: Partial<Answer>) => patch(desk, id, change),
    deps.nextFrame,
  );
  const run: Run = { id, stopper, flush: frames.flush };
  desk.run = run;
  desk.setMessages([...messages, made], id);
  desk.keep();
  const startedMs = deps.nowMs();
  let { content, reasoning, firstMs, requestId } = made;
  const listeners: ChatListeners = {
    onHead(given) {
      requestId = given;
      patch(desk, id, { requestId });
    },
    onPiece(piece) {
      firstMs ??= deps.nowMs() - startedMs;
      content += piece.content;
      reasoning += piece.reasoning;
      frames.put({ content, reasoning, firstMs, status: "incomplete" });
    },
  };
  const { system } = desk.store.read().conversation;
  const end = await deps.stream(callOf(system, messages, settings), listeners, stopper.signal);
  frames.flush();
  patch(desk, id, { ...endOf(end), totalMs: deps.nowMs() - startedMs });
  if (desk.run === run) {
    desk.run = null;
    desk.setMessages(desk.store.read().conversation.messages, null);
    desk.keep();
  }
  if (requestId === null) return;
  const isLate = end.kind === "stopped" || (end.kind === "failed" && end.fault.code === "broken");
  const charge = await deps.readCharge(requestId, isLate);
  if (charge === null) return;
  patch(desk, id, { charge });
  desk.keep();
}

function callOf(
  system: string,
  messages: readonly Message[],
  { model, group, temperature, maxTokens }: CallSettings,
): ChatCall {
  return {
    messages: sentMessages(system, messages),
    stream: true,
    model,
    group,
    max_tokens: maxTokens,
    temperature,
  };
}

function newAnswer(id: string, { model, group }: CallSettings): Answer {
  return {
    role: "assistant",
    id,
    content: "",
    reasoning: "",
    status: "loading",
    fault: null,
    requestId: null,
    model,
    group,
    firstMs: null,
    totalMs: null,
    charge: null,
  };
}

function endOf(end: ChatEnd): Pick<Answer, "fault" | "status"> {
  switch (end.kind) {
    case "done":
      return { status: "complete", fault: null };
    case "stopped":
      return { status: "incomplete", fault: null };
    case "failed":
      return { status: "error", fault: end.fault };
  }
}

export function newConversation(id: string, now: number, system = ""): Conversation {
  return { id, changedAt: now, system, messages: [] };
}

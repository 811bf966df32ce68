/**
 * Reads a chat answer while it is written: parses its server-sent events, and paints at most once a
 * frame.
 */

import { createParser } from "eventsource-parser";
import { z } from "zod";
import { expireSession, readSession } from "./session.ts";

/** The body of a chat call of the console. */
export type ChatCall = {
  readonly messages: readonly object[];
  readonly stream: true;
  readonly model: string;
  /** Empty: the user's own group. */
  readonly group: string;
  /** 0: no limit. */
  readonly max_tokens: number;
  readonly temperature: number;
};

/** The text that one event adds to the answer. */
export type ChatPiece = {
  readonly content: string;
  /** The model's reasoning, which comes before its answer. */
  readonly reasoning: string;
};

/**
 * Why an answer is not complete. `offline` (no answer arrived) and `broken` (it ended in the
 * middle) are our own codes, both without a message. Other codes are the server's; empty when it
 * gave none.
 */
type ChatFault = { readonly message: string; readonly code: string };

export type ChatEnd =
  | { readonly kind: "done" }
  /** The caller aborted it. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly status: number; readonly fault: ChatFault };

export type ChatListeners = {
  /** Called once, when the server has answered; null: the answer is not our server's. */
  readonly onHead: (requestId: string | null) => void;
  readonly onPiece: (piece: ChatPiece) => void;
};

/** The longest event of a stream, in characters: the picture of an answer is inside one. */
const eventLengthMax = 8 * 1024 * 1024;

/**
 * Makes the call and reads its answer to the end. Never rejects. A stream that ends without
 * `[DONE]` counts as broken, whoever broke it.
 */
export async function streamChat(
  body: ChatCall,
  { onHead, onPiece }: ChatListeners,
  signal: AbortSignal,
): Promise<ChatEnd> {
  let isOpen = false;
  try {
    const response = await fetch("/pg/chat/completions", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "new-api-user": String(readSession()?.id ?? -1),
      },
      body: JSON.stringify(body),
      signal,
    });
    isOpen = true;
    onHead(response.headers.get("x-request-id"));
    const { status } = response;
    if (status === 401 && readSession() !== null) expireSession();
    if (!response.ok || response.body === null) {
      const text = await response.text();
      return {
        kind: "failed",
        status,
        fault: readFault(text) ?? unknownFault(response.statusText),
      };
    }
    return await readEvents(response.body, onPiece, status);
  } catch {
    if (signal.aborted) return { kind: "stopped" };
    const code = isOpen ? "broken" : "offline";
    return { kind: "failed", status: 0, fault: { message: "", code } };
  }
}

async function readEvents(
  stream: ReadableStream<Uint8Array>,
  onPiece: (piece: ChatPiece) => void,
  status: number,
): Promise<ChatEnd> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  /** The data of the events that are complete but not read yet. */
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: eventLengthMax,
    onEvent: ({ data }) => void events.push(data),
    onError(error) {
      // The parser reports unknown fields as well, which are allowed.
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // The last event may end without the empty line behind it.
      parser.feed(done ? "\n\n" : decoder.decode(value, { stream: true }));
      for (const data of events.splice(0)) {
        if (data === "[DONE]") return { kind: "done" };
        const fault = readFault(data);
        if (fault !== undefined) return { kind: "failed", status, fault };
        const piece = readPiece(data);
        if (piece !== undefined) onPiece(piece);
      }
      if (done) return { kind: "failed", status, fault: { message: "", code: "broken" } };
    }
  } finally {
    // Nothing is read after `[DONE]`, and an open stream would keep its connection.
    reader.cancel().catch(() => {});
  }
}

const text = z.string().nullish().catch(null);

/** Only the fields that are read: providers add fields of their own and leave some out. */
const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: text, reasoning_content: text, reasoning: text }).nullish(),
      }),
    )
    .nullish(),
});

/** Reads the text that an event adds; undefined: none. */
export function readPiece(data: string): ChatPiece | undefined {
  const parsed = chunk.safeParse(parseJson(data));
  const delta = parsed.data?.choices?.[0]?.delta;
  const content = delta?.content ?? "";
  // Both spellings are in use. A provider that sends both sends the same text twice.
  const reasoning = delta?.reasoning_content || delta?.reasoning || "";
  return content === "" && reasoning === "" ? undefined : { content, reasoning };
}

const errorBody = z.object({
  error: z.union([
    z.object({ message: z.string(), code: z.union([z.string(), z.number()]).nullish().catch("") }),
    z.string(),
  ]),
});

/** The error in an answer or an event; undefined: there is none. */
export function readFault(data: string): ChatFault | undefined {
  const parsed = errorBody.safeParse(parseJson(data));
  if (!parsed.success) return undefined;
  const { error } = parsed.data;
  if (typeof error === "string") return unknownFault(error);
  return { message: withoutRequestId(error.message), code: String(error.code ?? "") };
}

/** The screen shows the id beside the message, where it can be copied. */
function withoutRequestId(message: string): string {
  return message.replace(/\s*\(request id: [^()]*\)\s*$/, "");
}

function unknownFault(message: string): ChatFault {
  return { message, code: "" };
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

type FrameBuffer<Value> = {
  /** Takes the newest value; the next frame paints it. */
  put(value: Value): void;
  /** Paints the waiting value now. */
  flush(): void;
};

/** Paints at most once a frame however fast values come, and not at all in a hidden window. */
export function openFrameBuffer<Value>(
  paint: (value: Value) => void,
  nextFrame: (callback: () => void) => unknown = requestAnimationFrame,
): FrameBuffer<Value> {
  let waiting: { readonly value: Value } | null = null;
  let isAsked = false;
  const flush = (): void => {
    const due = waiting;
    waiting = null;
    if (due !== null) paint(due.value);
  };
  return {
    put(value) {
      waiting = { value };
      if (isAsked) return;
      isAsked = true;
      nextFrame(() => {
        isAsked = false;
        flush();
      });
    },
    flush,
  };
}

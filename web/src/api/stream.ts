/**
 * Reads a chat answer while the model writes it: parses its server-sent events, and redraws the
 * text at most once per animation frame.
 */

import { demoCallPath } from "@tollgate/contract/endpoints/demo-calls.ts";
import { createParser } from "eventsource-parser";
import { z } from "zod";
import { below } from "#page/base-path.ts";
import { expireSession, readSession } from "./session.ts";

/** The body of the console's call for a chat answer. */
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
 * Why an answer is incomplete. The codes `offline` (no answer arrived) and `broken` (the stream
 * ended in the middle) are the console's own and have no message. Other codes are the server's;
 * empty when the server gave none.
 */
type ChatFault = { readonly message: string; readonly code: string };

export type ChatEnd =
  | { readonly kind: "done" }
  /** The caller aborted the call. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly status: number; readonly fault: ChatFault };

export type ChatListeners = {
  /**
   * Called once, when the server has answered. Null: the answer has no request id, so another
   * server sent it.
   */
  readonly onHead: (requestId: string | null) => void;
  readonly onPiece: (piece: ChatPiece) => void;
};

/**
 * The longest event of a stream, in characters. It is large because an image in an answer arrives
 * in one event.
 */
const eventLengthMax = 8 * 1024 * 1024;

/**
 * Makes a call of the signed-in user and reads its answer to the end. Never rejects. A stream that
 * ends without `[DONE]` counts as broken, whichever side ended it.
 */
export async function streamChat(
  body: ChatCall,
  listeners: ChatListeners,
  signal: AbortSignal,
): Promise<ChatEnd> {
  const userId = String(readSession()?.id ?? -1);
  const call = { path: "/pg/chat/completions", headers: { "new-api-user": userId }, body };
  return await streamAnswer(call, listeners, signal);
}

/** Makes a visitor's call of the demo, and reads its answer as `streamChat` does. */
export async function streamDemoCall(
  content: string,
  listeners: ChatListeners,
  signal: AbortSignal,
): Promise<ChatEnd> {
  return await streamAnswer(
    { path: demoCallPath, headers: {}, body: { content } },
    listeners,
    signal,
  );
}

type SentCall = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
};

async function streamAnswer(
  { path, headers, body }: SentCall,
  { onHead, onPiece }: ChatListeners,
  signal: AbortSignal,
): Promise<ChatEnd> {
  const sentIn = readSession();
  let isOpen = false;
  try {
    const response = await fetch(below(path), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        // The console's language, which may differ from the browser's.
        "accept-language": document.documentElement.lang || "*",
        ...headers,
      },
      body: JSON.stringify(body),
      signal,
    });
    isOpen = true;
    onHead(response.headers.get("x-request-id"));
    const { status } = response;
    if (status === 401) expireSession(sentIn);
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
  /** The data of the complete events that the loop below has not processed yet. */
  const events: string[] = [];
  const parser = createParser({
    maxBufferSize: eventLengthMax,
    onEvent: ({ data }) => void events.push(data),
    onError(error) {
      // The parser also reports unknown fields, which the event-stream format allows: they are
      // ignored.
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // When the stream ends, an empty line is added: it makes the parser emit the last event, even
      // if the server did not end that event.
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
    // Closes the connection, which would otherwise stay open if the answer ended before the stream.
    reader.cancel().catch(() => {});
  }
}

const text = z.string().nullish().catch(null);

/** Only the fields that the console reads. All may be absent, and providers may add others. */
const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: text, reasoning_content: text, reasoning: text }).nullish(),
      }),
    )
    .nullish(),
});

/** Reads the text that an event adds to the answer; undefined: the event has none. */
export function readPiece(data: string): ChatPiece | undefined {
  const parsed = chunk.safeParse(parseJson(data));
  const delta = parsed.data?.choices?.[0]?.delta;
  const content = delta?.content ?? "";
  // Providers use either field name. One that sends both puts the same text into both.
  const reasoning = delta?.reasoning_content || delta?.reasoning || "";
  return content === "" && reasoning === "" ? undefined : { content, reasoning };
}

const errorBody = z.object({
  error: z.union([
    z.object({ message: z.string(), code: z.union([z.string(), z.number()]).nullish().catch("") }),
    z.string(),
  ]),
});

/** Returns the error that the text of an answer or event contains; undefined: it contains none. */
export function readFault(data: string): ChatFault | undefined {
  const parsed = errorBody.safeParse(parseJson(data));
  if (!parsed.success) return undefined;
  const { error } = parsed.data;
  if (typeof error === "string") return unknownFault(error);
  return { message: withoutRequestId(error.message), code: String(error.code ?? "") };
}

/** Removes the request id from an error message, because the screen shows it beside the message. */
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
  /** Sets the newest value, which is painted in the next frame. */
  put(value: Value): void;
  /** Paints the newest value immediately if it is not painted yet. */
  flush(): void;
};

/**
 * Paints a value at most once per animation frame, and drops those that are replaced before it.
 * Browsers run no frames in a hidden window, so nothing is painted there.
 */
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

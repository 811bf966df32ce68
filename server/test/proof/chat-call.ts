/** Calls the relay as a client program does, and reads how the answers ended. */

import { type RawAnswer, type RawCall, type RawOptions, sendRaw } from "./raw-call.ts";

type ChatCall = {
  /** The key, with the prefix `sk-`. */
  readonly key: string;
  readonly model: string;
  readonly stream: boolean;
  /** Identifies the call in the demo upstream's list of the calls that it served. */
  readonly marker?: string;
  readonly content?: string;
  /** Fields that are added to the request's body. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The path to call; absent: `/v1/chat/completions`. */
  readonly path?: string;
};

export function sendChat(origin: string, call: ChatCall, options: RawOptions = {}): RawCall {
  const { key, model, stream, marker, content = "hello", body = {} } = call;
  return sendRaw(
    origin,
    {
      path: call.path ?? "/v1/chat/completions",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model,
        stream,
        messages: [{ role: "user", content }],
        ...(marker === undefined ? {} : { metadata: { marker } }),
        ...body,
      }),
    },
    options,
  );
}

export async function chat(
  origin: string,
  call: ChatCall,
  options: RawOptions = {},
): Promise<RawAnswer> {
  return await sendChat(origin, call, options).answer;
}

/** The most repeats of a call that the relay could not bill. `repeatMs` is the wait before each. */
const repeatsMax = 100;
const repeatMs = 200;

/**
 * Makes a call like `chat`, and repeats it while the relay answers that it cannot bill. On a busy
 * machine the database may take longer for one call than the relay waits.
 */
export async function chatUntilBilled(origin: string, call: ChatCall): Promise<RawAnswer> {
  for (let repeat = 0; ; repeat += 1) {
    const answer = await chat(origin, call);
    const isTold = answer.status === 503 && errorOf(answer)?.code === "billing_unavailable";
    if (!isTold || repeat === repeatsMax) return answer;
    await Bun.sleep(repeatMs);
  }
}

/** Returns the payloads of an event stream's events, in order and without comments. */
export function eventsOf(text: string): string[] {
  return text
    .split("\n\n")
    .map((event) => event.split("\n").filter((line) => line.startsWith("data:")))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.slice("data:".length).trim()).join("\n"));
}

/** Whether the stream's last event is `[DONE]`. */
export function isDone(text: string): boolean {
  return eventsOf(text).at(-1) === "[DONE]";
}

/** Whether a client would accept the answer as good and whole. */
export function isWhole(answer: RawAnswer, stream: boolean): boolean {
  if (answer.status !== 200 || !answer.complete) return false;
  return stream ? isDone(answer.text) : isObject(parse(answer.text)?.["choices"]);
}

type ShownError = { readonly message: string; readonly type: string; readonly code: string };

/** Returns the error in a body or in an event of a stream; undefined: none. */
export function errorOf(answer: RawAnswer): ShownError | undefined {
  const texts = answer.text.startsWith("{") ? [answer.text] : eventsOf(answer.text);
  for (const text of texts) {
    const error = parse(text)?.["error"];
    // Safe cast: the error object of OpenAI's format; tests assert on its fields.
    if (isObject(error)) return error as ShownError;
  }
  return undefined;
}

export function requestIdOf(answer: RawAnswer): string {
  return answer.headers.get("x-request-id") ?? "";
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

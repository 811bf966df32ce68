/** Reads the output of a recorded answer by parsing its JSON. */

import { type Recording, replay } from "#formats/testing/recordings.ts";

type Outputs = {
  /** Everything the model wrote, of all choices, in order of arrival. */
  readonly all: string;
  /** The text of choice 0 only. The fields below are of choice 0, too. */
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolArguments: readonly string[];
};

type Part = { readonly text?: string; readonly thinking?: readonly Part[] };
type Called = { readonly name?: string | null; readonly arguments?: string | null };
type Message = {
  readonly content?: string | readonly Part[] | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly Part[] | null;
  readonly refusal?: string | null;
  readonly tool_calls?:
    | readonly {
        readonly id?: string;
        readonly index?: number;
        readonly function?: Called;
      }[]
    | null;
  readonly function_call?: Called | null;
};
type Choice = {
  readonly index?: number;
  readonly text?: string;
  readonly delta?: Message;
  readonly message?: Message;
};
/** A vendor's answer body. The recordings are not validated, so any field may be missing. */
type Body = { readonly choices?: readonly Choice[]; readonly value?: string };

type Found = { all: string; text: string; reasoning: string; refusal: string };

export function readOutputs(recording: Recording): Outputs {
  const found: Found = { all: "", text: "", reasoning: "", refusal: "" };
  const calls = new Map<string, string>();
  const { stream } = recording.expected;
  for (const { choices = [], value } of readBodies(recording)) {
    found.all += value ?? "";
    for (const choice of choices) {
      const of0 = (choice.index ?? 0) === 0;
      const add = (piece: string | null | undefined, name: keyof Found) => {
        found.all += piece ?? "";
        if (of0 && name !== "all") found[name] += piece ?? "";
      };
      add(choice.text, "text");
      const message = (stream ? choice.delta : choice.message) ?? {};
      for (const key of Object.keys(message)) addField(key, message, add);
      if (!message.reasoning && !message.reasoning_content) {
        for (const part of message.reasoning_details ?? []) add(part.text, "reasoning");
      }
      for (const [at, call] of (message.tool_calls ?? []).entries()) {
        const slot = String(call.index ?? (stream ? call.id : at));
        if (of0) calls.set(slot, (calls.get(slot) ?? "") + (call.function?.arguments ?? ""));
      }
      // Some servers send an empty `function_call` with every message, which is no call.
      if (message.function_call?.name) {
        calls.set("", message.function_call.arguments ?? "");
      }
    }
  }
  return { ...found, toolArguments: [...calls.values()] };
}

type Add = (piece: string | null | undefined, name: keyof Found) => void;

function addField(key: string, message: Message, add: Add): void {
  const { content, reasoning_content, reasoning } = message;
  if (key === "content" && typeof content === "string") add(content, "text");
  if (key === "content" && typeof content === "object") {
    for (const part of content ?? []) {
      for (const thought of part.thinking ?? []) add(thought.text, "reasoning");
      add(part.text, "text");
    }
  }
  if (key === "reasoning_content") add(reasoning_content, "reasoning");
  if (key === "reasoning") add(reasoning, "reasoning");
  if (key === "refusal") add(message.refusal, "refusal");
  if (key === "tool_calls") {
    for (const call of message.tool_calls ?? []) addCall(call.function, add);
  }
  if (key === "function_call") addCall(message.function_call, add);
}

/** Adds the name and the arguments of a tool call, in whichever order they are sent. */
function addCall(called: Called | null | undefined, add: Add): void {
  for (const [key, piece] of Object.entries(called ?? {})) {
    if (key === "name" || key === "arguments") add(piece, "all");
  }
}

function readBodies(recording: Recording): Body[] {
  // Recordings are unchecked; every field of `Body` is checked before it is used.
  if (!recording.expected.stream) return [recording.response.body as Body];
  return Buffer.from(replay(recording))
    .toString()
    .split(/\r\n|\n|\r/)
    .filter((line) => /^data: ?\{/.test(line))
    .map((line): Body => JSON.parse(line.slice(5)));
}

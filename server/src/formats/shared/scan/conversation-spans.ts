/**
 * Where the request that was scanned last has what says which conversation it belongs to: the marks of
 * clients, and what stands at its beginning.
 */

import { openNotes } from "#base/json/noted-spans.ts";

/** The fields in which clients name a conversation, the surest first. */
export const markFields = ["session_id", "prompt_cache_key", "metadata", "previous_response_id"];
/** The fields whose bytes are at the beginning of a prompt, in the order of the prompt. */
export const headFields = [
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "tools",
];
/** The fields with the messages. */
export const turnFields = ["messages", "input", "contents"];

export const conversationSpans = openNotes([...markFields, ...headFields, ...turnFields]);

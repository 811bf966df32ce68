/** The programs that the page “Connect” knows, and the model that each of them is shown with. */

import { agents } from "./agents.ts";
import { apps } from "./apps.ts";
import type { Client } from "./client.ts";
import { sdks } from "./sdks.ts";

export const clients: readonly Client[] = [...agents, ...apps, ...sdks];

/** Parts of the names of models that do not answer chat completions. */
const notChat =
  /embed|bge-|rerank|moderation|whisper|tts|dall-e|image|audio|realtime|davinci|babbage/i;

/** Returns whether a model answers questions, as far as its name tells. */
export function isChatModel(model: string): boolean {
  return !notChat.test(model);
}

/**
 * The model for an example, which is a chat completion: one that the program is made for if there
 * is one, because its answers then need no translation; undefined: there are no models.
 */
export function modelFor(
  prefers: readonly string[],
  models: readonly string[],
): string | undefined {
  const chat = models.filter(isChatModel);
  for (const part of prefers) {
    const found = chat.find((model) => model.toLowerCase().includes(part));
    if (found !== undefined) return found;
  }
  return chat[0] ?? models[0];
}

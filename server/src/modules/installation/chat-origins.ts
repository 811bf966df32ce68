import { framedChat } from "@tollgate/contract/endpoints/content.ts";
import type { Options } from "#modules/options/options.ts";

/** Returns the origins of the chat clients that the console shows in a frame. */
export function chatOrigins(readOption: Options["read"]): readonly string[] {
  const own = readOption("ServerAddress");
  return readOption("Chats")
    .flatMap(Object.values<string>)
    .flatMap((template) => framedChat(template, own)?.origin ?? []);
}

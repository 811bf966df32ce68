import { framedChat } from "@tollgate/contract/endpoints/content.ts";
import type { Options } from "#modules/options/options.ts";

/**
 * Returns the origins of the chat clients that the console shows in a frame. In a console with TLS,
 * browsers show no page without it.
 */
export function chatOrigins(readOption: Options["read"]): readonly string[] {
  const own = readOption("ServerAddress");
  const hasTls = URL.parse(own)?.protocol === "https:";
  return readOption("Chats")
    .flatMap(Object.values<string>)
    .flatMap((template) => {
      const page = framedChat(template, own);
      return page === null || (hasTls && page.protocol === "http:") ? [] : page.origin;
    });
}

import * as contract from "@tollgate/contract/endpoints/content.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";

/**
 * Returns the origins of the pages that the console shows in a frame because option `About` or
 * `HomePageContent` is only a web address. The content security policy must list these origins, or
 * a browser refuses to show the pages.
 */
export function framedOrigins(
  readOption: (name: "About" | "HomePageContent") => string,
): readonly string[] {
  return (["About", "HomePageContent"] as const).flatMap((name) => {
    const address = contract.framedAddress(readOption(name));
    return address === null ? [] : [address.origin];
  });
}

/**
 * Handles the requests of the console API for the notice, the "About" page and the home page. It
 * answers with the texts as root wrote them; the console sanitizes them when it shows them.
 */
export function contentHandlers({ readOption }: { readonly readOption: Options["read"] }) {
  return [
    handle(contract.readNotice, async () => readOption("Notice")),
    handle(contract.readAbout, async () => readOption("About")),
    handle(contract.readHomePage, async () => readOption("HomePageContent")),
  ] satisfies Handler[];
}

import * as contract from "@tollgate/contract/content.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";

/**
 * Origins of the pages that are framed in place of the about or home page text. The content
 * security policy must list them, or a browser refuses to show them.
 */
export function framedOrigins(
  readOption: (name: "About" | "HomePageContent") => string,
): readonly string[] {
  return (["About", "HomePageContent"] as const).flatMap((name) => {
    const address = contract.framedAddress(readOption(name));
    return address === null ? [] : [address.origin];
  });
}

/** Returns the texts as root wrote them. The console sanitizes them when it shows them. */
export function contentHandlers({ readOption }: { readonly readOption: Options["read"] }) {
  return [
    handle(contract.readNotice, async () => readOption("Notice")),
    handle(contract.readAbout, async () => readOption("About")),
    handle(contract.readHomePage, async () => readOption("HomePageContent")),
  ] satisfies Handler[];
}

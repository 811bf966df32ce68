import * as contract from "@tollgate/contract/content.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";

/**
 * Origins of the pages that stand in the place of a text of ours, which a browser is to be told of.
 */
export function framedOrigins(
  readOption: (name: "About" | "HomePageContent") => string,
): readonly string[] {
  return (["About", "HomePageContent"] as const).flatMap((name) => {
    const address = contract.framedAddress(readOption(name));
    return address === null ? [] : [address.origin];
  });
}

/** The texts as root wrote them; they are made harmless where they are shown. */
export function contentHandlers({ readOption }: { readonly readOption: Options["read"] }) {
  return [
    handle(contract.readNotice, async () => readOption("Notice")),
    handle(contract.readAbout, async () => readOption("About")),
    handle(contract.readHomePage, async () => readOption("HomePageContent")),
  ] satisfies Handler[];
}

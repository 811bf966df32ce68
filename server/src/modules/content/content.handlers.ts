import * as contract from "contract/content.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";

/** The texts as root wrote them; they are made harmless where they are shown. */
export function contentHandlers({ readOption }: { readonly readOption: Options["read"] }) {
  return [
    handle(contract.readNotice, async () => readOption("Notice")),
    handle(contract.readAbout, async () => readOption("About")),
    handle(contract.readHomePage, async () => readOption("HomePageContent")),
  ] satisfies Handler[];
}

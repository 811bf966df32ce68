import * as contract from "@tollgate/contract/endpoints/price-previews.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Previews } from "./preview/previews.ts";

/** Handles the requests that try prices on past calls. */
export function previewHandlers(previews: Previews): Handler[] {
  return [
    handle(contract.beginPricePreview, async (input, { userId }) => {
      const { days, start_timestamp: start, end_timestamp: end, ...prices } = input;
      return await previews.begin({ kind: "changes", prices }, { days, start, end }, userId);
    }),

    handle(contract.tryOption, async ({ key, value, days }, { userId }) => {
      const prices = { changes: {}, books: [], options: { [key]: String(value) } };
      return await previews.begin({ kind: "changes", prices }, { days }, userId);
    }),

    handle(contract.readPricePreview, async ({ name }) => await previews.read(name)),

    handle(contract.cancelPricePreview, async ({ name }) => {
      await previews.remove(name);
    }),
  ];
}

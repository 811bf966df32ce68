/** The API calls that lay a bill beside the ledger. */

import { useMutation, useQuery } from "@tanstack/react-query";
import {
  addBillPart,
  beginBill,
  billPartMax,
  compareBill,
} from "@tollgate/contract/endpoints/bills.ts";
import { listChannels } from "@tollgate/contract/endpoints/channels.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";

export type BillQuestion = Omit<z.input<typeof compareBill.input>, "id">;

/** Sends a file in parts, because it may be long, and compares it. */
export function useCompareBill() {
  return useMutation({
    mutationFn: async (asked: { readonly text: string; readonly question: BillQuestion }) => {
      const { text, question } = asked;
      const { id } = await call(beginBill, {});
      for (let place = 0; place * billPartMax < text.length; place += 1) {
        const part = text.slice(place * billPartMax, (place + 1) * billPartMax);
        await call(addBillPart, { id, place, text: part });
      }
      return await call(compareBill, { id, ...question });
    },
  });
}

/** Reads the names of the first channels, to choose those that a bill is about. */
export function useChannelNames() {
  return useQuery({
    queryKey: ["channels", "names-of-bills"],
    queryFn: async ({ signal }) => {
      const channels = await call(listChannels, { p: 1, page_size: 100 }, signal);
      return channels.map(({ id, name }) => ({ id, name }));
    },
  });
}

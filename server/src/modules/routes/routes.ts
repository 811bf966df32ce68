/** Where a call would go, as the relay says it. */

import type { z } from "zod";
import type * as contract from "@tollgate/contract/endpoints/routes.ts";

type Question = z.output<(typeof contract.explainRoute)["input"]>;
type Told = z.output<(typeof contract.explainRoute)["output"]>;
type ToldChannel = Told["channels"][number];

/** Says where a call would go that is not made, on this node. */
export type ExplainRoute = (asked: {
  readonly group: string;
  readonly model: string;
  readonly formatId: Question["format"];
  readonly userId: number;
  readonly session: string;
}) => {
  readonly refused: Told["refused"];
  readonly places: boolean;
  readonly conversation: number;
  readonly channels: readonly (Omit<
    ToldChannel,
    "key_count" | "key_number" | "keys_open" | "until"
  > & {
    readonly keys: number;
    readonly openKeys: number;
    readonly key: number;
    /** Unix milliseconds; 0: there is no end, or it is not known. */
    readonly untilMs: number;
  })[];
};

/**
 * The shape of every console answer. Consoles decide on `success` alone and show `message`. A few
 * calls carry further fields beside `data`: the `extras` of their endpoint.
 */

import { z } from "zod";

export const envelope = z.discriminatedUnion("success", [
  z.looseObject({ success: z.literal(true), message: z.string(), data: z.unknown().optional() }),
  z.object({
    success: z.literal(false),
    message: z.string(),
    /** The input field that the refusal is about; absent: all of the input, or none of it. */
    field: z.string().optional(),
  }),
]);

/** The message of a change that its user has decided against, because a file owns the thing. */
export const ownedKept = "由配置文件管理，未更改";

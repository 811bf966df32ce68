/** What client programs can call with an API key: paths, formats, and the fields that are read. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const callable = z.object({
  method: z.enum(["DELETE", "GET", "POST"]),
  /** `*` stands for one segment, `**` for several. */
  path: z.string(),
  /** The id of the wire format in which it is asked and answered. */
  format: z.string(),
  /** What it is for, in a word such as `chat`. */
  to: z.string(),
  /** The names of the fields of a request that are read; none: another server reads them. */
  fields: z.array(z.string()),
});
export type Callable = z.infer<typeof callable>;

/** Lists every path that client programs can call, from what the gateway itself reads. */
export const readCallerReference = endpoint({
  method: "GET",
  path: "/api/reference.json",
  access: "public",
  input: z.object({}),
  output: z.array(callable),
});

/** Setting up an installation: creating the only root account. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { sentFlag } from "@tollgate/contract/fields/fields.ts";

/**
 * Whether the installation is set up. `root_init` and `database_type` are only answered while there
 * is no root.
 */
export const readSetup = endpoint({
  method: "GET",
  path: "/api/setup",
  access: "public",
  input: z.object({}),
  output: z.object({
    /** Whether the installation is set up. */
    status: z.boolean(),
    root_init: z.boolean(),
    database_type: z.enum(["sqlite", "postgres", ""]),
  }),
});

const text = z.string("请求参数有误").max(1_000, "请求参数有误").default("");

/**
 * Creates root. `token` comes from the link that the server prints. Only one call succeeds, even if
 * several arrive at the same time.
 */
export const setUp = endpoint({
  method: "POST",
  path: "/api/setup",
  access: "public",
  input: z.object({
    token: text,
    username: text,
    password: text,
    confirmPassword: text,
    SelfUseModeEnabled: sentFlag,
    DemoSiteEnabled: sentFlag,
  }),
  output: z.void(),
});

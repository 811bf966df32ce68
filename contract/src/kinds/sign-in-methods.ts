/**
 * The OAuth identities users can sign in with. The fields of each are options: they are among the
 * others of `options.ts`, in a section named by the id. Sorted.
 */

import type { Kind } from "./kinds.ts";
import { github } from "./github.ts";
import { linuxdo } from "./linuxdo.ts";
import { oidc } from "./oidc.ts";
import { telegram } from "./telegram.ts";
import { wechat } from "./wechat.ts";

export const signInMethods = {
  github,
  linuxdo,
  oidc,
  telegram,
  wechat,
} as const satisfies Record<string, Kind>;

/** The name of a method in `/api/oauth/<name>`. */
export type SignInMethodId = keyof typeof signInMethods;

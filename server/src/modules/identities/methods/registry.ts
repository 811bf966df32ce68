/** All sign-in methods by OAuth identity, keyed and sorted by their name in `/api/oauth/<name>`. */

import type { SignInMethodId } from "@tollgate/contract/kinds/sign-in-methods.ts";
import { gitHub } from "./github.ts";
import { linuxDo } from "./linux-do.ts";
import type { Method } from "./method.ts";
import { oidc } from "./oidc.ts";
import { telegram } from "./telegram.ts";
import { weChat } from "./wechat.ts";

export const methods = {
  github: gitHub,
  linuxdo: linuxDo,
  oidc,
  telegram,
  wechat: weChat,
} as const satisfies Record<SignInMethodId, Method>;

export function isMethodName(name: string): name is SignInMethodId {
  return Object.hasOwn(methods, name);
}

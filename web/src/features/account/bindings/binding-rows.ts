/** Which accounts elsewhere the tab has a row for, and which way each is bound. */

import type { Status } from "@tollgate/contract/status.ts";
import type { User } from "@tollgate/contract/users.ts";
import {
  offeredProviders,
  type RedirectProvider,
  redirectProviders,
} from "#widgets/sign-in/providers.ts";

export type BindingType = RedirectProvider | "email" | "telegram" | "wechat";

export type BindingRow = {
  /** As the API names it in a path. */
  readonly type: BindingType;
  /** Who the user is there; empty: nothing is bound. */
  readonly bound: string;
  /** The server lets people bind it; what is bound can be unbound in any case. */
  readonly isOffered: boolean;
};

/** What is neither bound nor offered has no row. */
export function bindingRows(self: User, status: Status): readonly BindingRow[] {
  const offered = new Set<BindingType>(offeredProviders(status));
  // Whether letters can be sent, only the server knows.
  offered.add("email");
  if (status.wechat_login) offered.add("wechat");
  if (status.telegram_oauth) offered.add("telegram");
  const bound: Readonly<Record<BindingType, string>> = {
    email: self.email,
    github: self.github_id,
    linuxdo: self.linux_do_id,
    oidc: self.oidc_id,
    wechat: self.wechat_id,
    telegram: self.telegram_id,
  };
  const order: readonly BindingType[] = ["email", ...redirectProviders, "wechat", "telegram"];
  return order
    .map((type) => ({ type, bound: bound[type], isOffered: offered.has(type) }))
    .filter((row) => row.bound !== "" || row.isOffered);
}

export function isRedirect(type: BindingType): type is RedirectProvider {
  return redirectProviders.some((provider) => provider === type);
}

/** The rows of identities, and how each identity is bound. */

import type { Status } from "@tollgate/contract/status.ts";
import type { User } from "@tollgate/contract/users.ts";
import {
  offeredProviders,
  type RedirectProvider,
  redirectProviders,
} from "#widgets/sign-in/providers.ts";

export type BindingType = RedirectProvider | "email" | "telegram" | "wechat";

export type BindingRow = {
  /** The identity's name in the paths of the API. */
  readonly type: BindingType;
  /** The user's name at the provider; empty: nothing is bound. */
  readonly bound: string;
  /** The server offers it; a bound identity can be unbound even if it is false. */
  readonly isOffered: boolean;
};

/** Identities that are neither bound nor offered have no row. */
export function bindingRows(self: User, status: Status): readonly BindingRow[] {
  const offered = new Set<BindingType>(offeredProviders(status));
  // Only the server knows whether it can send e-mails.
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

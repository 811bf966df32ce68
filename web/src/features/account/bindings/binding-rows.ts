/** The rows of the list of sign-in identities: which the user has, and which can be bound. */

import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import {
  offeredProviders,
  type RedirectProvider,
  redirectProviders,
} from "#widgets/sign-in/providers.ts";

export type BindingType = RedirectProvider | "email" | "telegram" | "wechat";

export type BindingRow = {
  /** The identity's name in paths of the API. */
  readonly type: BindingType;
  /** The user's name at the provider; empty: no identity of this type is bound. */
  readonly bound: string;
  /**
   * Whether the server offers this type. A bound identity can be unbound even if its type is no
   * longer offered.
   */
  readonly isOffered: boolean;
};

/** Returns the rows to show: types of identities that the user has or that the server offers. */
export function bindingRows(self: User, status: Status): readonly BindingRow[] {
  const offered = new Set<BindingType>(offeredProviders(status));
  // Binding an e-mail address is always offered, because the status does not say whether the server
  // can send e-mails.
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

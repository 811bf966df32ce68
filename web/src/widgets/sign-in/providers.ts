/**
 * The OAuth providers: which of them the server offers, and the address of each one's consent page.
 */

import type { Status } from "@tollgate/contract/endpoints/status.ts";

export const redirectProviders = ["github", "linuxdo", "oidc"] as const;

/** A provider that sends the browser back to `/oauth/<name>` after the user has consented. */
export type RedirectProvider = (typeof redirectProviders)[number];

const names: Readonly<Record<RedirectProvider, string>> = {
  github: "GitHub",
  linuxdo: "LinuxDO",
  oidc: "OIDC",
};

/**
 * Returns the provider's usual name; a provider that this file does not know is shown by its id.
 */
export function providerName(type: string): string {
  const known = redirectProviders.find((name) => name === type);
  return known === undefined ? type : names[known];
}

/** Returns the providers that users can choose, in the order they are shown. */
export function offeredProviders(status: Status): readonly RedirectProvider[] {
  const on: Readonly<Record<RedirectProvider, boolean>> = {
    github: status.github_oauth,
    linuxdo: status.linuxdo_oauth,
    oidc: status.oidc_enabled && URL.canParse(status.oidc_authorization_endpoint),
  };
  return redirectProviders.filter((provider) => on[provider]);
}

/** Whether the server offers the provider that an address of the console names by `type`. */
export function offersProvider(status: Status, type: string): boolean {
  return offeredProviders(status).some((provider) => provider === type);
}

/** Whether the server offers any sign-in method besides password and passkey. */
export function offersOthers(status: Status): boolean {
  return offeredProviders(status).length > 0 || status.wechat_login || status.telegram_oauth;
}

/**
 * Makes the address of the provider's consent page. Sources: the documentation of GitHub and
 * LinuxDO, and OpenID Connect Core 1.0 §3.1.2.1, read 2026-11-21. GitHub and LinuxDO send the
 * browser back to the address that was registered there.
 * @param origin the page's own origin, used if the server has no public address configured.
 */
export function consentAddress(
  provider: RedirectProvider,
  status: Status,
  { state, origin }: { readonly state: string; readonly origin: string },
): string {
  switch (provider) {
    case "github":
      return withQuery("https://github.com/login/oauth/authorize", {
        client_id: status.github_client_id,
        state,
        scope: "user:email",
      });
    case "linuxdo":
      return withQuery("https://connect.linux.do/oauth2/authorize", {
        response_type: "code",
        client_id: status.linuxdo_client_id,
        state,
      });
    case "oidc":
      return withQuery(status.oidc_authorization_endpoint, {
        client_id: status.oidc_client_id,
        redirect_uri: `${(status.server_address || origin).replace(/\/+$/, "")}/oauth/oidc`,
        response_type: "code",
        scope: "openid profile email",
        state,
        // The identity provider signs the nonce into its token, so a code stolen from another
        // sign-in cannot be used here.
        nonce: state,
      });
  }
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { consentAddress, offeredProviders, providerName } from "./providers.ts";
import { statusWith } from "#widgets/testing/status.ts";

const sent = { state: "s+1/2=", origin: "http://gateway.test" };

/** Splits an address into the part before its query, and the query's parameters. */
function partsOf(address: string): [string, Record<string, string>] {
  const url = new URL(address);
  return [url.origin + url.pathname, Object.fromEntries(url.searchParams)];
}

test("A-082 A-083 A-087: each provider is offered by its own flag", () => {
  expect(offeredProviders(statusWith({}))).toEqual([]);
  expect(offeredProviders(statusWith({ github_oauth: true }))).toEqual(["github"]);
  expect(offeredProviders(statusWith({ linuxdo_oauth: true }))).toEqual(["linuxdo"]);
  const oidc_authorization_endpoint = "https://id.test/authorize";
  const oidc = { oidc_enabled: true, oidc_authorization_endpoint };
  expect(offeredProviders(statusWith(oidc))).toEqual(["oidc"]);
  expect(offeredProviders(statusWith({ ...oidc, oidc_enabled: false }))).toEqual([]);
  // Without a client id the consent page has no valid address, so the provider is not offered.
  expect(offeredProviders(statusWith({ oidc_enabled: true }))).toEqual([]);
});

test("A-394: each provider gets its client id and the state unchanged", () => {
  const status = statusWith({ github_client_id: "gh", linuxdo_client_id: "ld" });
  expect(partsOf(consentAddress("github", status, sent))).toEqual([
    "https://github.com/login/oauth/authorize",
    { client_id: "gh", state: sent.state, scope: "user:email" },
  ]);
  expect(partsOf(consentAddress("linuxdo", status, sent))).toEqual([
    "https://connect.linux.do/oauth2/authorize",
    { response_type: "code", client_id: "ld", state: sent.state },
  ]);
});

test("OIDC: the state is the nonce, and the redirect address is the server's", () => {
  const status = statusWith({
    oidc_client_id: "c",
    oidc_authorization_endpoint: "https://id.test/authorize?tenant=7",
    server_address: "https://public.test/",
  });
  expect(partsOf(consentAddress("oidc", status, sent))).toEqual([
    "https://id.test/authorize",
    {
      tenant: "7",
      client_id: "c",
      redirect_uri: "https://public.test/oauth/oidc",
      response_type: "code",
      scope: "openid profile email",
      state: sent.state,
      nonce: sent.state,
    },
  ]);
  const [, query] = partsOf(consentAddress("oidc", { ...status, server_address: "" }, sent));
  expect(query["redirect_uri"]).toBe("http://gateway.test/oauth/oidc");
});

test("A-048: an unknown provider is shown by its name in the address", () => {
  expect(["github", "linuxdo", "oidc", "anything", "toString"].map(providerName)).toEqual([
    "GitHub",
    "LinuxDO",
    "OIDC",
    "anything",
    "toString",
  ]);
});

/** Translates the server's texts about a provider's fields, where a translation exists. */

import type { T, TextKey } from "#i18n/t.ts";

/** Server's phrase → key of its translation. Any provider may use a phrase. */
const known: Readonly<Record<string, TextKey>> = {
  "API key": "channels.formApiKey",
  "API key (sk-…)": "channels.formOpenaiKey",
  "API key of the form bce-v3/…": "channels.formBceKey",
  "API key of the site .cn; one of .com needs https://api.siliconflow.com as base URL":
    "channels.formSiteKey",
  "API token with the right to run Workers AI": "channels.formWorkersKey",
  "Account ID": "channels.formAccountId",
  "Address of the installation, up to /api/openapi": "channels.formInstallation",
  "Any text; servers of one's own take no key": "channels.formAnyKey",
  "Complete address of the call; {model} in it is replaced by the model":
    "channels.formWholeAddress",
  "Key of the FastGPT application": "channels.formApplicationKey",
  "Plugin parameter, sent as X-DashScope-Plugin": "channels.formPlugin",
};

export function providerText(phrase: string, t: T): string {
  const key = known[phrase];
  // Any of the keys fits the type, because none of them takes values.
  return key === undefined ? phrase : String(t(key as "channels.formApiKey"));
}

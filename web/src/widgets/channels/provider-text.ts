/** Translates the texts about a provider's fields, which the server sends in English. */

import type { T, TextKey } from "#i18n/t.ts";

/** English text of the server → key of its translation. Several providers may use the same text. */
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
  // Safe cast: none of the texts takes parameters, so any of their keys has the right type.
  return key === undefined ? phrase : String(t(key as "channels.formApiKey"));
}

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
  "AccessKeyId|SecretAccessKey|Region, with |SessionToken behind it if temporary, or APIKey|Region":
    "channels.formBedrockKey",
  "Empty: the address of the key's region": "channels.formBedrockUrl",
  "API key (sk-ant-…)": "channels.formClaudeKey",
  "API version, for example 2024-10-21": "channels.formApiVersion",
  "https://<resource>.openai.azure.com; name each deployment like its model":
    "channels.formAzureUrl",
  "APIKey|SecretKey": "channels.formBaiduKey",
  "Personal access token (pat_…)": "channels.formCozeKey",
  "https://api.coze.com outside of China": "channels.formCozeUrl",
  "API key of the app (app-…)": "channels.formDifyKey",
  "Kind of app: empty for a chat or an agent, else completion or workflow": "channels.formDifyKind",
  "API key (AIza…)": "channels.formGeminiKey",
  "service-account JSON, or an API key of Vertex AI in express mode": "channels.formVertexKey",
  'Region, or JSON of regions by model: {"default":"global","<model>":"us-east5"}':
    "channels.formRegion",
  "access key|secret key, or an API key": "channels.formKlingKey",
  "The key of the server, or any text if it has none": "channels.formServerKey",
  "AppId|SecretId|SecretKey, or SecretId|SecretKey": "channels.formTencentKey",
  "APIPassword (HTTP), or APPID|APISecret|APIKey (WebSocket)": "channels.formSparkKey",
  "id.secret": "channels.formZhipuKey",
  "Id of the knowledge base": "channels.formLibraryId",
  "Version in the address, such as v3.5 (WebSocket) or v1 (HTTP); empty: chosen by the model":
    "channels.formSparkVersion",
};

export function providerText(phrase: string, t: T): string {
  const key = known[phrase];
  // Safe cast: none of the texts takes parameters, so any of their keys has the right type.
  return key === undefined ? phrase : String(t(key as "channels.formApiKey"));
}

import { z } from "zod";
import { parseForeign } from "#base/json.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import {
  type FetchedToken,
  malformedKey,
  type Signer,
  type SigningFault,
  type TokenSource,
} from "./signing.ts";

const keyForm = "APIKey|SecretKey";

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const refused = z.object({ error: z.string(), error_description: z.string().default("") });

const sign: Signer = async ({ channel, key, nowMs, url }, tokens) => {
  const [id = "", secret = "", ...others] = key.split("|").map((part) => part.trim());
  if (id === "" || secret === "" || others.length > 0) return malformedKey(keyForm);
  const token = await tokens.get(
    id,
    async () => await requestToken({ baseUrl: channel.baseUrl, id, secret, nowMs }, tokens),
  );
  if (token.kind === "unsigned") return token;
  const query = `access_token=${encodeURIComponent(token.token)}`;
  return { kind: "signed", url: `${url}?${query}`, headers: {} };
};

type Account = {
  readonly baseUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly nowMs: number;
};

async function requestToken(
  { baseUrl, id, secret, nowMs }: Account,
  tokens: TokenSource,
): Promise<FetchedToken | SigningFault> {
  const answer = await tokens.postForm(`${baseUrl}/oauth/2.0/token`, {
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
  });
  if (!answer.ok) return { kind: "unsigned", reason: "token-missing", message: answer.reason };
  const body = parse(answer.text);
  const given = granted.safeParse(body);
  if (given.success) {
    const { access_token: token, expires_in: seconds } = given.data;
    return { kind: "token", token, expiresMs: nowMs + seconds * 1_000 };
  }
  const error = refused.safeParse(body);
  return error.success
    ? {
        kind: "unsigned",
        reason: "token-refused",
        message: error.data.error_description || error.data.error,
      }
    : { kind: "unsigned", reason: "token-missing", message: `HTTP ${answer.status}` };
}

function parse(text: string): unknown {
  try {
    return parseForeign(text);
  } catch {
    return undefined;
  }
}

/** Names of models in the path, where they differ from the model's own. */
const pathNames: ReadonlyMap<string, string> = new Map([
  ["ernie-3.5-8k", "completions"],
  ["ernie-4.0-8k", "completions_pro"],
  ["ernie-bot", "completions"],
  ["ernie-bot-4", "completions_pro"],
  ["ernie-bot-turbo", "eb-instant"],
  ["ernie-lite-8k", "ernie-lite-8k"],
  ["ernie-speed-8k", "ernie_speed"],
]);

const workshop = "/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/";

export const baidu: Provider = {
  id: "baidu",
  label: "Baidu Wenxin",
  type: 15,
  baseUrl: "https://aip.baidubce.com",
  formats: {
    "baidu-wenxin": { paths: { chat: `${workshop}{model}` }, asksForUsage: false },
  },
  modelsPath: null,
  adjustUrl(url, { model }) {
    const name = pathNames.get(model.toLowerCase()) ?? model.toLowerCase();
    return url.slice(0, url.indexOf(workshop) + workshop.length) + encodeURIComponent(name);
  },
  authHeaders: () => ({}),
  sign,
  readFault,
  keyForm,
  otherForm: null,
  testable: true,
  defaultModels: ["ERNIE-4.0-8K", "ERNIE-3.5-8K", "ERNIE-Speed-8K", "ERNIE-Lite-8K"],
  source: "https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t (read 2026-11-23)",
};

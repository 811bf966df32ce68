/** An installation that is reached by its console API, with an access token of root. */

import {
  applyConfiguration,
  exportConfiguration,
  planConfiguration,
} from "@tollgate/contract/endpoints/configuration.ts";
import { z } from "zod";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";
import type { Installed } from "./configuration-command.ts";

/** What keeps a command from being run; one line for the operator. */
export class ApiFault extends Error {
  override readonly name = "ApiFault";
}

type Access = {
  /** Address of the gateway, such as `https://api.example.com`. */
  readonly url: string;
  /** The access token, as the console shows it in the account's settings. */
  readonly token: string;
  /** The id of the user whose token it is. */
  readonly userId: string;
};

const limits = {
  connectMs: 10_000,
  firstByteMs: 120_000,
  betweenChunksMs: 60_000,
  totalMs: 300_000,
};

const answerBytesMax = 64 * 1024 * 1024;

const envelope = z.object({
  success: z.boolean(),
  message: z.string().default(""),
  data: z.unknown().optional(),
});

export function openOverApi(transport: Transport, { url, token, userId }: Access): Installed {
  async function call<Output extends z.ZodType>(
    endpoint: Pick<Endpoint, "method" | "path"> & { readonly output: Output },
    input: object | null,
  ): Promise<z.output<Output>> {
    const answer = await ask(transport, {
      method: endpoint.method === "GET" ? "GET" : "POST",
      url: url.replace(/\/$/, "") + endpoint.path,
      headers: {
        authorization: `Bearer ${token}`,
        "new-api-user": userId,
        "content-type": "application/json",
        "accept-language": "en",
      },
      body: input === null ? null : JSON.stringify(input),
      limits,
      answerBytesMax,
    });
    if (!answer.ok) throw new ApiFault(`${url} cannot be reached: ${answer.reason}.`);
    const parsed = envelope.safeParse(readJson(answer.text));
    if (!parsed.success) {
      throw new ApiFault(`${url} answered ${answer.status}, and no gateway's words.`);
    }
    if (!parsed.data.success) throw new ApiFault(`${url}: ${parsed.data.message}`);
    return endpoint.output.parse(parsed.data.data);
  }
  return {
    plan: async (asked) => await call(planConfiguration, asked),
    apply: async (asked) => await call(applyConfiguration, asked),
    export: async () => await call(exportConfiguration, null),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

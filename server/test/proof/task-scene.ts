/** The product with the demo upstream behind its channels of tasks, and its clients. */

import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { addChannel, addToken, addUser, setRatio, signIn } from "#test/console.ts";
import { makeStartedHome, startGateway } from "#test/gateway.ts";

/** The key of every channel. */
export const channelKey = "sk-channel-secret";

/** What videos cost that have no price by default, in dollars. */
export const videoPrice = 0.2;

type Factors = {
  readonly per: "call" | "second";
  readonly sizes: Readonly<Record<string, string>>;
  readonly modes: Readonly<Record<string, string>>;
};

type SceneParts = {
  readonly channels: readonly {
    readonly type: number;
    readonly models: string;
    /** Whether results come through the gateway. */
    readonly streams?: true;
  }[];
  /** Models that have no price by default. */
  readonly priced?: readonly string[];
  readonly factors: Readonly<Record<string, Factors>>;
};

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

export type Row = Record<string, unknown> & { readonly quota: number; readonly refunded: number };

/** Starts it all, with a token of root and one of another user, Alice. */
export async function openTaskScene({ channels, priced = [], factors }: SceneParts) {
  const upstream = startDemoUpstream();
  const home = await makeStartedHome("sqlite");
  let gateway = await startGateway(home);
  const root = await signIn(gateway.origin);
  const set = async (name: string, value: string) =>
    await root.call("PUT", "/api/option/", { key: name, value });
  await set("ConsoleRequestsPerMinute", "0");
  await set("ServerAddress", gateway.origin);
  for (const model of priced) await setRatio(root, "ModelPrice", model, videoPrice);
  await set("TaskPriceFactors", JSON.stringify(factors));
  for (const { type, models, streams } of channels) {
    const setting = streams === true ? JSON.stringify({ stream_results: true }) : "";
    await addChannel(root, { type, models, setting, key: channelKey, base_url: upstream.url });
  }
  const { key } = await addToken(root);
  const alice = await addUser(root, gateway.origin, 50_000_000);
  const otherKey = (await addToken(alice)).key;

  return {
    upstream,
    home,
    root,
    alice,
    key,
    otherKey,
    origin: gateway.origin,
    async send(method: string, path: string, body?: object, by = key): Promise<Answer> {
      const response = await fetch(gateway.origin + path, {
        method,
        headers: {
          authorization: `Bearer ${by}`,
          "content-type": "application/json",
          "accept-language": "en",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // Safe cast: every answer of these calls is a JSON object or list.
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    /** The row of a task as root's console reads it. */
    async rowOf(id: string): Promise<Row> {
      const rows = await root.call<Row[]>("GET", `/api/mj/?mj_id=${id}`);
      const others = await root.call<Row[]>("GET", `/api/task/?task_id=${id}`);
      const [row] = [...rows, ...others];
      if (row === undefined) throw new Error(`no row of ${id}`);
      return row;
    },
    /** Kills the gateway and starts it again, at another address. */
    async restart(): Promise<void> {
      await gateway.kill();
      gateway = await startGateway(home);
    },
    kill: async () => await gateway.kill(),
    async stop(): Promise<void> {
      await gateway.kill();
      await home.remove();
      await upstream.stop();
    },
  };
}

export type TaskScene = Awaited<ReturnType<typeof openTaskScene>>;

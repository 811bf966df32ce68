/**
 * Tests that the calls that run on all nodes are seen by those who may, and stopped: one alone, or
 * all of a user, each billed for what came.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LiveView } from "@tollgate/contract/endpoints/live.ts";
import { testDialects } from "#db/testing/database.ts";
import { addUser, type ConsoleClient } from "#test/console.ts";
import { type Gateway, startGateway } from "#test/gateway.ts";
import { errorOf, eventsOf, isDone, requestIdOf, sendChat } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { balanceOf, eventually, readLogs, sumOf } from "./ledger.ts";
import type { RawCall } from "./raw-call.ts";

setDefaultTimeout(180_000);

/** A model whose upstream waits, after ten words, for a release. */
const model = {
  name: "slow",
  script: { promptTokens: 17, events: 20, hold: 10 },
  ratio: 2,
  completionRatio: 3,
} as const;

/** The charge of a whole answer: 17 tokens of input and 20 of output. */
const wholeCharge = (17 + 20 * 3) * 2;

const streams = 200;

/** A call is made again at most so often while a busy node refuses it. */
const attemptsMax = 50;

/** Begins a call, and waits until ten words have come; again, if a busy node refuses it. */
async function begin(origin: string, key: string): Promise<RawCall> {
  for (let attempt = 1; ; attempt += 1) {
    const { begun, call } = beginOnce(origin, key);
    if ((await begun) === "runs" || attempt === attemptsMax) return call;
    await Bun.sleep(200);
  }
}

function beginOnce(origin: string, key: string) {
  const begun = Promise.withResolvers<"ended" | "runs">();
  const call = sendChat(
    origin,
    { key, model: model.name, stream: true },
    {
      leaveWhen(progress) {
        if (progress.text().split('"content":').length > 10) begun.resolve("runs");
        return false;
      },
    },
  );
  void call.answer.then(() => begun.resolve("ended"));
  return { call, begun: begun.promise };
}

type Events = { next(): Promise<LiveView>; leave(): Promise<void> };

async function openEvents(place: Installation, query: string): Promise<Events> {
  const response = await place.root.open(`/api/live/stream${query}`);
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    async next() {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const event = text.slice("data: ".length, end);
          text = text.slice(end + 2);
          // Safe cast: the contract of `streamLive`.
          return JSON.parse(event) as LiveView;
        }
        const { done, value } = await reader.read();
        if (done) throw new Error("the stream has ended");
        text += decoder.decode(value, { stream: true });
      }
    },
    leave: async () => await reader.cancel(),
  };
}

const readLive = async (client: ConsoleClient, query = ""): Promise<LiveView> =>
  await client.call<LiveView>("GET", `/api/live/${query}`);

for (const dialect of testDialects) {
  describe(`running calls on ${dialect === "sqlite" ? "one node" : "two nodes"}`, () => {
    const otherFolder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
    let place: Installation;
    let other: Gateway | null = null;
    let spender: Spender;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [model] });
      if (dialect === "postgres") {
        other = await startGateway(place.home, { env: { TOLLGATE_DATA_DIR: otherFolder } });
      }
      spender = await addSpender(place, 10_000_000);
    });
    afterAll(async () => {
      await other?.kill();
      await place.close();
      rmSync(otherFolder, { recursive: true, force: true });
    });

    /** Starts calls in turn at each node, and waits until ten words of each have come. */
    async function beginMany(count: number, key = spender.key): Promise<RawCall[]> {
      const origins = [place.origin, ...(other === null ? [] : [other.origin])];
      for (const origin of origins) {
        await eventually(
          async () =>
            await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } }),
          ({ status }) => status === 200,
          { what: "the node knows the token" },
        );
      }
      return await Promise.all(
        Array.from({ length: count }, async (_, at) =>
          begin(origins[at % origins.length] ?? place.origin, key),
        ),
      );
    }

    test(`of ${streams} streams one is stopped and no other, then all of a user: each costs what came`, async () => {
      const { client, tokenId } = spender;
      const before = await balanceOf(client);
      const calls = await beginMany(streams);
      const nodes = other === null ? 1 : 2;

      // On a busy machine the other node may be late to tell what has just begun there.
      const seen = await eventually(
        async () => await readLive(place.root),
        // A node that has just ended, such as the one that made the tables, is listed for ten seconds.
        ({ total, nodes: listed }) => total === streams && listed.length === nodes,
        { what: "all streams run, and no other node is listed" },
      );
      expect([seen.total, seen.calls.length, seen.nodes.length]).toEqual([streams, streams, nodes]);
      expect(new Set(seen.calls.map(({ node }) => node)).size).toBe(nodes);
      expect(seen.nodes.map(({ calls: each, answers }) => [each, answers])).toEqual(
        seen.nodes.map(() => [streams / nodes, true]),
      );
      expect(seen.calls[0]).toMatchObject({
        user_id: client.userId,
        token_id: tokenId,
        model_name: model.name,
        channel: place.channelId,
        reason: "only",
        is_stream: true,
        stopping: false,
      });
      expect(
        seen.calls.every(({ output_tokens, quota, held }) => held >= quota && output_tokens > 0),
      ).toBeTrue();
      // Users see their own calls, and neither channel nor node; others see none.
      const own = await readLive(client);
      expect([own.total, own.nodes, own.calls[0]?.channel, own.calls[0]?.node]).toEqual([
        streams,
        [],
        0,
        "",
      ]);
      const stranger = await addUser(place.root, place.origin, 0);
      expect((await readLive(stranger)).total).toBe(0);

      // The call runs on the other node, if there is one.
      const there = seen.calls.find(({ node }) => node === seen.nodes.at(-1)?.name);
      const named = there?.request_id ?? "";
      const stranged = await stranger.call("POST", "/api/live/stop", { request_ids: [named] });
      expect(stranged).toMatchObject({ stopped: 0, silent: [] });
      const one = await place.root.call("POST", "/api/live/stop", {
        request_ids: [named],
        reason: "loops",
      });
      expect(one).toEqual({ stopped: 1, silent: [] });
      const ended = await Promise.race(calls.map(async ({ answer }) => await answer));
      expect(requestIdOf(ended)).toBe(named);
      expect([ended.status, ended.complete, errorOf(ended)?.code]).toEqual([
        200,
        true,
        "call_stopped",
      ]);
      expect(eventsOf(ended.text)).not.toContain("[DONE]");
      await eventually(
        async () => (await readLive(place.root)).total,
        (total) => total === streams - 1,
        { what: "what runs" },
      );

      const all = await client.call("POST", "/api/live/stop", { token_id: tokenId });
      expect(all).toEqual({ stopped: streams - 1, silent: [] });
      const answers = await Promise.all(calls.map(async ({ answer }) => await answer));
      expect(answers.filter((answer) => errorOf(answer)?.code !== "call_stopped")).toEqual([]);

      const rows = await eventually(
        async () => await readLogs(place.root, { type: 2, model: model.name }),
        ({ length }) => length === streams,
        { what: "the rows of all streams" },
      );
      const stopped = rows.find(({ request_id }) => request_id === named);
      expect(stopped?.content).toContain("已由 root 停止：loops");
      expect(rows.filter(({ content }) => content.includes("停止"))).toHaveLength(streams);
      expect(rows.every(({ quota }) => quota > 0 && quota < wholeCharge)).toBeTrue();
      await eventually(
        async () => await balanceOf(client),
        (balance) => balance === before - sumOf(rows),
        { what: "the balance is what was charged, to the unit" },
      );
      await eventually(
        async () => (await readLive(place.root)).total,
        (total) => total === 0,
        { what: "what runs" },
      );
      await eventually(
        async () => await place.demo.openCalls(),
        (open) => open === 0,
        { what: "the upstream is cut off" },
      );
    });

    test("a stream that is not stopped beside one that is ends as ever", async () => {
      const [first, second] = await beginMany(2);
      const [oldest] = (await readLive(place.root)).calls;
      await place.root.call("POST", "/api/live/stop", { request_ids: [oldest?.request_id] });
      await Promise.race([first?.answer, second?.answer]);
      await place.demo.release(model.name);
      const answers = await Promise.all([first?.answer, second?.answer]);
      const whole = answers.find((answer) => answer !== undefined && isDone(answer.text));
      expect(answers.filter((answer) => answer && isDone(answer.text))).toHaveLength(1);
      const row = await eventually(
        async () =>
          (await readLogs(place.root, { type: 2 })).find(
            ({ request_id }) => whole !== undefined && request_id === requestIdOf(whole),
          ),
        (found) => found !== undefined,
        { what: "the row of the whole stream" },
      );
      expect(row?.quota).toBe(wholeCharge);
    });

    test("they are pushed once a second, as they begin and end", async () => {
      // What was released stays so until the script is set anew.
      await place.demo.script(model.name, model.script);
      const calls = await beginMany(2);
      const reader = await openEvents(place, "?seconds=30&model_name=SLOW");
      await eventually(
        async () => (await reader.next()).total,
        (total) => total === 2,
        { what: "both calls are told" },
      );
      await place.root.call("POST", "/api/live/stop", { model_name: model.name });
      await eventually(
        async () => (await reader.next()).total,
        (total) => total === 0,
        { what: "their end is told" },
      );
      await reader.leave();
      await Promise.all(calls.map(async ({ answer }) => await answer));
    });

    test("a stop that names nothing, or a channel without the right to, is refused", async () => {
      const nothing = await place.root.send("POST", "/api/live/stop", {});
      expect([nothing.success, nothing.message]).toEqual([false, "请指明要停止哪些调用"]);
      const byUser = await spender.client.send("POST", "/api/live/stop", { channel: 1 });
      expect(byUser.success).toBeFalse();
      const audit = await place.root.call<{ items: { action: string; target: string }[] }>(
        "GET",
        "/api/audit/?action=call.stop&page_size=100",
      );
      expect(audit.items.map(({ target }) => target)).toContain(`token:${spender.tokenId}`);
    });

    if (dialect === "postgres") {
      test("a node that stops lists what it waits for at another one, where it can be stopped", async () => {
        await place.demo.script(model.name, model.script);
        const folder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
        const third = await startGateway(place.home, { env: { TOLLGATE_DATA_DIR: folder } });
        const headers = { authorization: `Bearer ${spender.key}` };
        await eventually(
          async () => await fetch(`${third.origin}/v1/models`, { headers }),
          ({ status }) => status === 200,
          { what: "the node knows the token" },
        );
        const call = await begin(third.origin, spender.key);
        process.kill(third.pid, "SIGTERM");
        const name = `:${new URL(third.origin).port}`;
        const view = await eventually(
          async () => await readLive(place.root),
          ({ nodes }) => nodes.some((node) => node.draining && node.name.endsWith(name)),
          { what: "the node stops" },
        );
        const waited = view.calls.filter(({ node }) => node.endsWith(name));
        expect(waited.map(({ model_name }) => model_name)).toEqual([model.name]);
        const ids = waited.map(({ request_id }) => request_id);
        await place.root.call("POST", "/api/live/stop", { request_ids: ids });
        expect(errorOf(await call.answer)?.code ?? (await call.answer).text).toContain(
          "call_stopped",
        );
        expect(await third.exited).toBe(0);
        rmSync(folder, { recursive: true, force: true });
      });

      test("a node that does not answer is named", async () => {
        const frozen = mkdtempSync(join(tmpdir(), "tollgate-node-"));
        const third = await startGateway(place.home, { env: { TOLLGATE_DATA_DIR: frozen } });
        await eventually(
          async () => (await readLive(place.root)).nodes.map(({ answers }) => answers),
          (answers) => answers.length === 3 && answers.every(Boolean),
          { what: "three nodes answer" },
        );
        process.kill(third.pid, "SIGSTOP");
        const stop = await place.root.call<{ silent: string[] }>("POST", "/api/live/stop", {
          request_ids: ["nobody"],
        });
        expect(stop.silent).toHaveLength(1);
        expect(stop.silent[0]).toEndWith(`:${new URL(third.origin).port}`);
        await third.kill();
        rmSync(frozen, { recursive: true, force: true });
      });
    }
  });
}

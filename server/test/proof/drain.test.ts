/** Tests that a stop ends: by SIGTERM under load, and while the database is away or frozen. */

import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { chat, errorOf, isWhole, sendChat } from "./chat-call.ts";
import { callCharge, quick, slow } from "./cluster-scene.ts";
import { lastCallId, untilCalled } from "./demo-process.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { eventually } from "./ledger.ts";
import { startLoad } from "./load.ts";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.ts";

const testMs = 240_000;

/** Answers over ten seconds, so that it outlasts the time in which calls are still taken. */
const long = slow(500);
/** Answers until somebody releases it, which nobody does. */
const endless = { name: "node-endless", script: { events: 20, hold: 10 }, perCall: callCharge };

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function open(
  dialect: "postgres" | "sqlite",
  through?: (url: string) => Promise<string>,
): Promise<{ place: Installation; spender: Spender }> {
  const models = [quick, long, endless];
  const place = await openInstallation(dialect, { models, ...(through ? { through } : {}) });
  closing.push(place.close);
  return { place, spender: await addSpender(place, 100_000_000) };
}

describe("SIGTERM", () => {
  test(
    "ends a gateway whose 60 callers never ask /readyz, and every call begun before is whole",
    async () => {
      const { place, spender } = await open("sqlite");
      const { key } = spender;
      const facts = { userId: spender.client.userId, tokenId: spender.tokenId, key };
      const load = startLoad(
        place.origin,
        Array.from({ length: 60 }, (_, index) => ({
          ...facts,
          name: `d-${index}`,
          model: quick,
          stream: index % 2 === 0,
          charge: callCharge,
        })),
      );
      const afterId = await lastCallId(place.demo);
      const begun = Array.from({ length: 6 }, (_, index) =>
        chat(place.origin, { key, model: long.name, stream: index % 2 === 0 }),
      );
      await untilCalled(place.demo, { count: begun.length + 60, afterId });
      const gateway = place.gateway();
      process.kill(gateway.pid, "SIGTERM");
      const refused = await eventually(
        async () => load.calls.find(({ outcome }) => outcome?.status === 503)?.outcome,
        (outcome) => outcome !== undefined,
        { what: "calls are refused" },
      );
      expect(refused?.text).toContain('"code":"shutting_down"');
      const answers = await Promise.all(begun);
      expect(answers.map((answer, index) => isWhole(answer, index % 2 === 0))).toEqual(
        begun.map(() => true),
      );
      expect(await gateway.exited).toBe(0);
      await load.stop();
      // A call is whole, or was refused, or found nobody who listens.
      const ends = load.calls.map(({ outcome }) => (outcome?.whole ? 200 : (outcome?.status ?? 0)));
      expect(ends.filter((status) => ![200, 503, 0].includes(status))).toEqual([]);
    },
    testMs,
  );

  test(
    "refuses the console and kept connections with Retry-After, names what it waits for, and a second one ends it",
    async () => {
      const { place, spender } = await open("sqlite");
      const { key } = spender;
      const kept = await keepConnection(place.origin);
      const afterId = await lastCallId(place.demo);
      const running = sendChat(place.origin, { key, model: endless.name, stream: true });
      running.answer.catch(() => {});
      await untilCalled(place.demo, { count: 1, afterId });
      const gateway = place.gateway();
      process.kill(gateway.pid, "SIGTERM");
      const refused = await eventually(
        () => chat(place.origin, { key, model: quick.name, stream: false }),
        ({ status }) => status === 503,
        { what: "calls are refused" },
      );
      expect(errorOf(refused)?.code).toBe("shutting_down");
      for (const headers of [
        refused.headers,
        (await fetch(`${place.origin}/api/status`)).headers,
      ]) {
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        expect(headers.get("connection")).toBe("close");
      }
      expect(await kept.ask()).toMatch(
        /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*connection: close/,
      );
      expect((await fetch(`${place.origin}/readyz`)).status).toBe(503);
      expect((await fetch(`${place.origin}/healthz`)).status).toBe(200);
      await eventually(
        async () => gateway.output(),
        (output) => /waits for calls/.test(output) && output.includes(endless.name),
        { what: "the log names the call" },
      );
      process.kill(gateway.pid, "SIGTERM");
      expect(await gateway.exited).toBe(1);
    },
    testMs,
  );
});

describe("SIGTERM while the database", () => {
  async function openAway() {
    const started = Promise.withResolvers<PostgresProxy>();
    const { place, spender } = await open("postgres", async (url) => {
      const proxy = await startPostgresProxy(url);
      started.resolve(proxy);
      return proxy.url;
    });
    const proxy = await started.promise;
    closing.push(proxy.stop);
    return { place, spender, proxy };
  }

  async function expectOneLine(place: Installation): Promise<void> {
    const gateway = place.gateway();
    const before = gateway.output().length;
    process.kill(gateway.pid, "SIGTERM");
    expect(await gateway.exited).toBe(1);
    const said = gateway.output().slice(before).split("\n");
    const lines = said.filter((line) => line !== "" && !line.startsWith("{"));
    expect(lines.map((line) => line.slice(0, 28))).toEqual([
      "Draining: running calls end ",
      "The database (DATABASE_URL) ",
    ]);
  }

  for (const how of ["is refused", "is frozen"] as const) {
    test(
      `${how} ends the gateway in bounded time, with one line`,
      async () => {
        const { place, spender, proxy } = await openAway();
        const call = await chat(place.origin, {
          key: spender.key,
          model: quick.name,
          stream: true,
        });
        expect(isWhole(call, true)).toBe(true);
        if (how === "is refused") proxy.goAway();
        else proxy.freeze();
        await expectOneLine(place);
      },
      testMs,
    );
  }

  test(
    "is refused and a call has ended: the line says that it is not charged",
    async () => {
      const { place, spender, proxy } = await openAway();
      const afterId = await lastCallId(place.demo);
      const running = sendChat(place.origin, { key: spender.key, model: long.name, stream: true });
      running.answer.catch(() => {});
      await untilCalled(place.demo, { count: 1, afterId });
      proxy.goAway();
      await expectOneLine(place);
      expect(place.gateway().output()).toContain("so these are not charged (1): ");
    },
    testMs,
  );
});

/** Opens a connection that has carried a call, and can carry another one. */
async function keepConnection(origin: string): Promise<{ ask(): Promise<string> }> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  closing.push(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  const ask = async (): Promise<string> => {
    text = "";
    socket.write("GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-none\r\n\r\n");
    return await eventually(
      async () => text,
      (all) => all.includes("\r\n\r\n"),
      { what: "an answer on the kept connection" },
    );
  };
  expect(await ask()).toStartWith("HTTP/1.1 401");
  return { ask };
}

import { afterAll, expect, test } from "bun:test";
import net from "node:net";
import { openAccount, recordsMax } from "@tollgate/demo/account.ts";
import { control as answerControl } from "@tollgate/demo/control.ts";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { openScripts } from "@tollgate/demo/models.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { callRaw, eventually, requestBytes, scripted } from "./client.ts";

const upstream = startDemoUpstream();
afterAll(() => upstream.stop());

const streaming = { stream: true, stream_options: { include_usage: true } };
const findCall = (marker: string) =>
  upstream.account().calls.find((call) => call.marker === marker);
const marked = (script: DemoScript, marker: string) =>
  scripted(script, { ...streaming, metadata: { marker } });
const control = async (path: string, init?: RequestInit): Promise<Response> =>
  await fetch(`${upstream.url}/__demo/${path}`, init);

test("a call is recorded under its marker, with what was sent", async () => {
  await callRaw(upstream.url, { body: marked({ events: 5, cachedTokens: 1 }, "served") });

  const call = findCall("served");
  expect(call).toMatchObject({
    model: "scripted-by-the-call",
    stream: true,
    status: 200,
    promptTokens: 2,
    completionTokens: 5,
    complete: true,
    aborted: false,
    open: false,
    key: "wxyz",
  });
  expect(call?.usageSent).toMatchObject({ prompt_tokens: 2, completion_tokens: 5 });

  await callRaw(upstream.url, {
    body: scripted({}, { messages: [{ role: "user", content: text }] }),
  });
  expect(findCall(text.slice(0, 64))).toMatchObject({ promptTokens: Math.ceil(100 / 4) });
});
const text = "A long question ".repeat(7).slice(0, 100);

test("a disconnected client is recorded with the pieces written until then", async () => {
  const body = marked({ events: 50, eventDelayMs: 20 }, "left");
  await callRaw(upstream.url, { body, until: (bytes) => bytes.includes(`" scripted"`) });
  await eventually(() => findCall("left")?.open === false);
  const { completionTokens = 0 } = findCall("left") ?? {};

  expect(findCall("left")).toMatchObject({ aborted: true, complete: false, usageSent: null });
  expect(completionTokens).toBeGreaterThanOrEqual(4);
  expect(completionTokens).toBeLessThan(50);
  await Bun.sleep(100);
  // The demo upstream stops writing to a client that has disconnected, so its count of written
  // pieces must not have grown since.
  expect(findCall("left")?.completionTokens).toBe(completionTokens);
});

test("a client that disconnects before the head is recorded as served nothing", async () => {
  const leave = Promise.withResolvers<void>();
  const body = marked({ headDelayMs: 3_600_000 }, "early");
  const left = callRaw(upstream.url, { body, leave: leave.promise });
  await eventually(() => findCall("early")?.open === true);
  leave.resolve();
  await left;
  await eventually(() => findCall("early")?.open === false);

  expect(findCall("early")).toMatchObject({
    status: 0,
    promptTokens: 0,
    completionTokens: 0,
    aborted: true,
  });
});

// Without back-pressure the demo upstream would create the whole answer at once and keep it in
// memory.
test("a stalled reader gets no more than its socket's buffer", async () => {
  const pieces = 3_200;
  const script: DemoScript = { events: pieces, pieceBytes: 64 * 1024 }; // 200 MiB
  for (const more of [streaming, {}]) {
    const marker = `stalled-${JSON.stringify(more).length}`;
    const socket = net.connect(Number(new URL(upstream.url).port), "127.0.0.1");
    socket.pause();
    const before = process.memoryUsage().rss;
    socket.write(requestBytes({ body: scripted(script, { ...more, metadata: { marker } }) }));
    await eventually(() => (findCall(marker)?.completionTokens ?? 0) > 0);
    let seen = -1;
    while (seen !== findCall(marker)?.completionTokens) {
      seen = findCall(marker)?.completionTokens ?? 0;
      await Bun.sleep(100);
    }

    expect(seen).toBeLessThan(pieces / 4);
    expect(findCall(marker)?.open).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    socket.destroy();
    await eventually(() => findCall(marker)?.open === false);
    expect(findCall(marker)).toMatchObject({ aborted: true, complete: false });
    expect(findCall(marker)?.completionTokens).toBeLessThan(pieces / 4);
  }
});

test("a slow reader gets every byte of a long answer", async () => {
  const pieces = 6;
  const pieceBytes = 8 * 1024 * 1024; // more than the kernel accepts for a socket at a time
  const body = marked({ events: pieces, pieceBytes }, "slow");
  const socket = net.connect(Number(new URL(upstream.url).port), "127.0.0.1");
  let received = 0;
  let end = "";
  const closed = Promise.withResolvers<void>();
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    end = (end + chunk.toString("latin1")).slice(-40);
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  socket.on("close", () => closed.resolve());
  socket.write(requestBytes({ body }));
  await closed.promise;

  expect(end).toEndWith("[DONE]\n\n\r\n0\r\n\r\n");
  expect(received).toBeGreaterThan(pieces * pieceBytes);
  expect(findCall("slow")).toMatchObject({ completionTokens: pieces, complete: true });
});

test("the control API shows the account, whole or in part, and resets it", async () => {
  await control("reset", { method: "POST" });
  for (const marker of ["one", "two", "one"]) {
    await callRaw(upstream.url, { body: marked({ events: 2 }, marker) });
  }
  const { calls, totals } = upstream.account();
  const [first, second, third] = calls;
  expect(await (await control("account")).json()).toEqual({
    calls: [first, second, third],
    totals,
  });
  expect(totals).toEqual({
    calls: 3,
    open: 0,
    maxOpen: 1,
    complete: 3,
    aborted: 0,
    promptTokens: 6,
    completionTokens: 6,
  });
  const newer = await control(`account?after=${second?.id}`);
  expect(await newer.json()).toEqual({ calls: [third], totals });
  const ofMarker = await control("account?marker=two");
  expect(await ofMarker.json()).toEqual({ calls: [second], totals });
  expect((await control("account?after=x")).status).toBe(400);

  await control("reset", { method: "POST" });
  expect(upstream.account()).toMatchObject({
    totals: { calls: 0, completionTokens: 0 },
    calls: [],
  });
});

test("a registered script takes precedence over the call's own and the built-in one", async () => {
  const fetchPieces = async (body: object): Promise<number | undefined> => {
    await callRaw(upstream.url, { body });
    return upstream.account().calls.at(-1)?.completionTokens;
  };
  const own = scripted({ events: 3 }, { model: "vendor/demo" });
  const register = { method: "PUT", body: JSON.stringify({ events: 7 }) };
  expect(await fetchPieces(own)).toBe(3);

  expect((await control("scripts/vendor%2Fdemo", register)).status).toBe(200);
  expect(await fetchPieces(own)).toBe(7);
  await control("scripts/demo-fast", register);
  expect(await fetchPieces(scripted("", { model: "demo-fast", user: "someone" }))).toBe(7);

  for (const model of ["vendor%2Fdemo", "demo-fast"]) {
    await control(`scripts/${model}`, { method: "DELETE" });
  }
  expect(await fetchPieces(own)).toBe(3);
  expect(await fetchPieces(scripted("", { model: "demo-fast", user: "someone" }))).toBe(40);

  const bad = await control("scripts/x", { method: "PUT", body: `{"events":"many"}` });
  expect(bad.status).toBe(400);
  expect(await bad.text()).toContain("events");
});

test("the control API shows open calls and connections", async () => {
  await control("reset", { method: "POST" });
  const leave = Promise.withResolvers<void>();
  const body = marked({ cut: { after: "headers", how: "silence" } }, "open");
  const waiting = [1, 2, 3].map(() => callRaw(upstream.url, { body, leave: leave.promise }));
  await eventually(() => upstream.account().totals.open === 3);

  expect(await (await control("open")).json()).toEqual({
    connections: expect.any(Number),
    calls: 3,
    ids: upstream.account().calls.map(({ id }) => id),
  });

  // Resets the account while calls are open: they stay open, and their end must not be counted
  // twice.
  await control("reset", { method: "POST" });
  expect(upstream.account().totals).toMatchObject({ calls: 0, open: 3, maxOpen: 3 });
  leave.resolve();
  await Promise.all(waiting);
  await eventually(() => upstream.account().totals.open === 0);
  expect(upstream.account().totals).toMatchObject({ calls: 0, aborted: 0, maxOpen: 3 });
});

test("the control API answers this machine only", () => {
  const deps = { account: openAccount(() => 0), scripts: openScripts(), connectionCount: () => 0 };
  const request = {
    method: "GET",
    path: "/__demo/account",
    query: "",
    header: () => undefined,
    body: "",
    keepAlive: true,
    http11: true,
  };
  const statusFor = (address: string): number => answerControl(deps, request, address).status;

  expect(["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"].map(statusFor)).toEqual([
    200, 200, 200, 200,
  ]);
  expect(["10.0.0.1", "::ffff:10.0.0.1", "1127.0.0.1", ""].map(statusFor)).toEqual([
    404, 404, 404, 404,
  ]);
});

test("old records are dropped, their totals are kept", () => {
  const account = openAccount(() => 0);
  const facts = { images: 0, model: "m", marker: "x", stream: false, key: "wxyz" };
  for (let index = 0; index < recordsMax + 5; index += 1) {
    const entry = account.open(facts);
    entry.wrotePieces(2);
    entry.close("complete");
  }
  const { calls, totals } = account.read();

  expect(calls).toHaveLength(recordsMax);
  expect(calls[0]?.id).toBe(6);
  expect(totals).toMatchObject({ calls: recordsMax + 5, completionTokens: 2 * (recordsMax + 5) });
});

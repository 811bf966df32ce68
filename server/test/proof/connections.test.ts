import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { setRatio } from "#test/console.ts";
import { balanceOf, eventually } from "./ledger.ts";
import { chat, isWhole } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { sendMarked } from "./marked-calls.ts";
import { isLong } from "./size.ts";

const opening = 1_000_000_000_000;

/** A model without a script: each call names the answer that it wants. */
const model = "marked";
/** The price of a call in dollars; 0.00002 are 10 quota units. */
const price = 0.000_02;
const body = { user: "demo:{}" };

let place: Installation;
let spender: Spender;
beforeAll(async () => {
  place = await openInstallation("sqlite", { models: [], channel: { models: model } });
  await setRatio(place.root, "ModelPrice", model, price);
  spender = await addSpender(place, opening);
});
afterAll(async () => await place.close());

const markedCalls = isLong ? 1_000_000 : 6_000;
/** Too few connections to count as overload, in which the product refuses calls. */
const markedConnections = 16;

test(`P-K4: each of ${markedCalls} marked calls gets its own answer, pipelined, half-closed or kept`, async () => {
  const before = await balanceOf(spender.client);
  const { origin } = place;
  const { right, wrong } = await sendMarked({
    origin,
    key: spender.key,
    model,
    calls: markedCalls,
    connections: markedConnections,
  });
  expect(wrong).toEqual([]);
  expect(right).toBe(markedCalls);
  await eventually(
    () => place.demo.openCalls(),
    (open) => open === 0,
    { what: "calls open upstream" },
  );
  const stat = await place.root.call<{ quota: number }>("GET", "/api/log/stat?type=2");
  expect(await balanceOf(spender.client)).toBe(before - stat.quota);
}, 3_600_000);

const slowConnections = isLong ? 2_000 : 200;

test(`P-K3: ${slowConnections} connections that drip a head or a body are closed, and other clients are served meanwhile`, async () => {
  const slow = Array.from({ length: slowConnections }, (_, index) =>
    openSlow(place.origin, spender.key, index % 2 === 0 ? "head" : "body"),
  );
  const before = await balanceOf(spender.client);
  for (let call = 0; call < 20; call += 1) {
    const answer = await chat(place.origin, { key: spender.key, model, stream: true, body });
    expect(isWhole(answer, true), answer.text.slice(-300)).toBe(true);
  }
  // Each slow connection sends bytes until the gateway closes it.
  await Promise.all(slow.map(({ closed }) => closed));
  // The twenty whole calls were charged; the unfinished requests cost nothing.
  expect(await balanceOf(spender.client)).toBe(before - 200);
  const answer = await chat(place.origin, { key: spender.key, model, stream: false, body });
  expect(isWhole(answer, false)).toBe(true);
}, 600_000);

/**
 * Opens a connection and sends the head or the body of a request at one byte a second, for ever.
 * `closed` resolves when the gateway closes the connection.
 */
function openSlow(origin: string, key: string, part: "body" | "head") {
  const { hostname, port } = new URL(origin);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const closed = Promise.withResolvers<void>();
  const head =
    `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: 100000\r\n`;
  socket.write(part === "head" ? head : `${head}\r\n`);
  const drip = setInterval(() => socket.write(part === "head" ? "x" : " "), 1_000);
  socket.on("error", () => {});
  // An answer such as 408 counts as the gateway's end of the connection.
  socket.on("data", () => socket.end());
  socket.on("close", () => {
    clearInterval(drip);
    closed.resolve();
  });
  return { closed: closed.promise };
}

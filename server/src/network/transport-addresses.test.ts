import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test } from "bun:test";
import { callTo, limits, open, readText } from "./testing/calls.ts";
import { makeAuthority } from "./testing/certificates.ts";
import { jsonAnswer, startUpstream } from "./testing/upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

test("W3: a call goes to the next address of a name if the first one is dead", async () => {
  let resolved = 0;
  const { transport, skip } = open({
    async resolve() {
      resolved += 1;
      return ["127.0.0.7", "127.0.0.8", "127.0.0.1"];
    },
  });
  const upstream = await startUpstream((socket) => socket.write(jsonAnswer("1")));
  stops.push(upstream.stop);
  const url = `http://three.test:${upstream.port}`;

  expect(await readText(transport, callTo(url))).toBe("200 1");
  // After the name has been resolved again as well.
  skip(31_000);
  expect(await readText(transport, callTo(url))).toBe("200 1");
  expect([resolved, upstream.requests.length]).toEqual([2, 2]);
});

test("W3: an address that does not finish the TLS handshake leaves time for the next", async () => {
  const authority = makeAuthority();
  const upstream = await startUpstream(
    (socket) => socket.write(jsonAnswer("1")),
    authority.issue("up.example"),
  );
  const silent = createServer((socket) => void socket.on("error", () => {}));
  silent.listen(upstream.port, "127.0.0.9");
  await once(silent, "listening");
  stops.push(upstream.stop, () => silent.close());
  const { transport } = open({ ca: authority.ca, resolve: async () => ["127.0.0.9", "127.0.0.1"] });
  const call = callTo(`https://up.example:${upstream.port}`, {
    limits: { ...limits, connectMs: 2_000 },
  });

  expect(await readText(transport, call)).toBe("200 1");
});

test("W3: a call of which anything was sent goes to no other address", async () => {
  const upstream = await startUpstream((socket) => socket.destroy());
  stops.push(upstream.stop);
  const { transport } = open({ resolve: async () => ["127.0.0.1", "127.0.0.2"] });

  expect(await readText(transport, callTo(`http://two.test:${upstream.port}`))).toBe(
    "connection-closed",
  );
  expect(upstream.requests).toHaveLength(1);
});

test("W3: when no address answers, the fault is that of the first", async () => {
  const upstream = await startUpstream((socket) => socket.write(jsonAnswer("1")));
  await upstream.stop();
  const many = Array.from({ length: 12 }, (_, index) => `127.0.0.${index + 1}`);
  const { transport } = open({ resolve: async () => many });

  expect(await readText(transport, callTo(`http://dead.test:${upstream.port}`))).toBe(
    "connection-refused",
  );
});

/** Large forms: what they cost in memory, and how many may come at once. */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { formOf, openMediaRelay, silence } from "./testing/media.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
});

const megabyte = 1024 * 1024;

/**
 * Upstream and client in a process of their own, so that their memory does not count. Prints the
 * upstream's port, reads the relay's address, and prints an answer for each form.
 */
const others = `
  const upstream = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        if (bytes.subarray(-4).toString("latin1") !== "--\\r\\n") return;
        socket.write("HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: 13\\r\\n\\r\\n" + '{"text":"hi"}');
      },
    },
  });
  console.log(upstream.port);
  const form = new FormData();
  form.append("file", new File([new Uint8Array(25 * 1024 * 1024)], "a.bin"));
  form.append("model", "m");
  const headers = { authorization: "Bearer sk-testkey" };
  for await (const url of console) {
    for (let at = 0; at < 6; at += 1) {
      const answer = await fetch(url, { method: "POST", body: form, headers });
      console.log(answer.status + (await answer.text()));
    }
    break;
  }
  process.exit(0);
`;

test("forms of 25 MB, one after another, take no more memory than a few of them", async () => {
  const child = Bun.spawn({
    cmd: [process.execPath, "-e", others],
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  let said = "";
  const lines = (async () => {
    for await (const bytes of child.stdout) said += new TextDecoder().decode(bytes);
  })();
  await eventually(() => said.includes("\n"));
  const made = openMediaRelay(() => new Response(), {
    baseUrl: `http://127.0.0.1:${Number.parseInt(said, 10)}`,
  });
  opened.push(made);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 1);
  await child.stdin.write(`${made.relay.url}/v1/audio/transcriptions\n`);
  await child.stdin.end();
  await lines;
  clearInterval(watch);

  expect(said.trim().split("\n").slice(1)).toEqual(
    Array.from({ length: 6 }, () => '200{"text":"hi"}'),
  );
  // A form is in memory once, and twice for a moment while it grows; no copy of it goes out.
  expect((most - before) / megabyte).toBeLessThan(4 * 25);
});

test("forms over the limit are refused, and those that ended take no more room", async () => {
  const upstream = await startUpstream(() => {});
  opened.push(upstream);
  const { post, relay } = open({ baseUrl: upstream.url });
  const large = formOf({ model: "m" }, [["file", Buffer.alloc(33 * megabyte)]]);
  const refused = await post("/v1/audio/transcriptions", large);
  expect(refused.status).toBe(413);

  const leave = new AbortController();
  const sent = post("/v1/audio/transcriptions", formOf({ model: "m" }, [["file", silence(1)]]), {
    signal: leave.signal,
  }).catch(() => "left");
  await eventually(() => upstream.requests.length === 1);
  leave.abort();
  expect(await sent).toBe("left");
  await eventually(() => relay.counts.disconnects === 1);
  relay.skipMs = 10_000;
  await eventually(() => relay.money.held === 0);
});

function open(channel: { readonly baseUrl: string }) {
  const made = openMediaRelay(() => new Response(), channel);
  opened.push(made);
  return made;
}

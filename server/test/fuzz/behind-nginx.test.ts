/**
 * The HTTP server behind a real nginx, which keeps connections to it and sends requests of many
 * clients over one. An attacker's request must neither hide another request from nginx nor spoil
 * the connection for the client who gets it next.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { type HttpServer, openServer } from "#http/server.ts";
import { freePort, ownFiles, runNginx } from "#test/nginx.ts";
import { smuggledRequests } from "./smuggled.ts";

/** Ways in which proxies are set up. The second passes on as much as nginx can be made to. */
const setUps = {
  "that reads bodies first": "",
  "that passes on what it reads": "proxy_request_buffering off; ignore_invalid_headers off;",
} as const;

/** A request that the server took. */
type Taken = { readonly url: string; readonly front: string };

const taken: Taken[] = [];
let server: HttpServer;

beforeAll(() => {
  server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs: () => performance.now(),
    onBug(error) {
      throw error;
    },
    answer(request) {
      const { url, headers } = request;
      taken.push({ url, front: headers.get("x-front") ?? "" });
      const respond = (body: Buffer | string): void =>
        request.respond({
          status: typeof body === "string" ? 400 : 200,
          headers: { "content-type": "text/plain" },
          body: `answer to ${url}`,
        });
      const reading = request.readBody(1_000_000, openByteBudget(64 * 1024 * 1024), 0);
      if (reading instanceof Promise) void reading.then(respond);
      else respond(reading);
    },
  });
});

afterAll(() => server.stop());

for (const [name, lines] of Object.entries(setUps)) {
  describe(`behind an nginx ${name}`, () => {
    const port = freePort();
    let nginx: Awaited<ReturnType<typeof runNginx>>;
    beforeAll(async () => {
      const program = process.env["TOLLGATE_TEST_NGINX"] ?? Bun.which("nginx") ?? "";
      nginx = await runNginx(program, `http://127.0.0.1:${port}/up`, (folder) =>
        configuration(folder, port, lines),
      );
    });
    afterAll(async () => await nginx.stop());

    test("P-N3: no client gets the answer to what an attacker hid in a request", async () => {
      for (const [index, bytes] of smuggledRequests().entries()) {
        const attacker = connect({ port, host: "127.0.0.1" });
        attacker.on("error", () => {});
        await once(attacker, "connect");
        attacker.write(Buffer.from(bytes, "latin1"));
        await expectOwnAnswer(port, `/victim/${index}/a`, bytes);
        attacker.destroy();
        await expectOwnAnswer(port, `/victim/${index}/b`, bytes);
      }
    });

    test("the server takes exactly the requests that nginx sent, once each", () => {
      const fronts = taken.map(({ front }) => front);
      expect(taken.filter(({ front }) => front === "")).toEqual([]);
      expect(new Set(fronts).size).toBe(fronts.length);
      // Enough of the attacks get past nginx to say something about the server.
      expect(taken.filter(({ url }) => url === "/attack").length).toBeGreaterThan(20);
      taken.length = 0;
    });
  });
}

/** Expects that another client's call through nginx gets its own answer. */
async function expectOwnAnswer(port: number, path: string, attack: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false });
  expect([attack, answer.status, await answer.text()]).toEqual([attack, 200, `answer to ${path}`]);
}

/** nginx marks each request that it sends, so that a request without a mark was hidden from it. */
function configuration(folder: string, port: number, lines: string): string {
  const own = ownFiles(folder);
  return `
${own.main}
events { worker_connections 1024; }
http {
  ${own.http}
  underscores_in_headers on;
  upstream gateway {
    server 127.0.0.1:${server.port};
    keepalive 1;
  }
  server {
    listen 127.0.0.1:${port};
    ${lines}
    location / {
      proxy_pass http://gateway;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Front $request_id;
    }
  }
}
`;
}

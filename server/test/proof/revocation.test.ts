/**
 * Tests that running streams end when their user or token may not call any more, on the node that
 * serves them.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDialects } from "#db/testing/database.ts";
import { type Gateway, startGateway } from "#test/gateway.ts";
import { errorOf, eventsOf, requestIdOf, sendChat } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { eventually, readLogs } from "./ledger.ts";

/** A model whose upstream waits, after ten words, for a release that never comes. */
const model = {
  name: "endless",
  script: { promptTokens: 17, events: 20, hold: 10 },
  ratio: 2,
  completionRatio: 3,
} as const;

type Revocation = {
  readonly what: string;
  readonly code: string;
  revoke(place: Installation, spender: Spender): Promise<unknown>;
};

const revocations: readonly Revocation[] = [
  {
    what: "the user is disabled",
    code: "user_disabled",
    revoke: async ({ root }, { client }) =>
      await root.call("POST", "/api/user/manage", { id: client.userId, action: "disable" }),
  },
  {
    what: "the user is deleted",
    code: "user_disabled",
    revoke: async ({ root }, { client }) =>
      await root.call("POST", "/api/user/manage", { id: client.userId, action: "delete" }),
  },
  {
    what: "the token is disabled",
    code: "token_disabled",
    revoke: async (_, { client, tokenId }) =>
      await client.call("PUT", "/api/token/?status_only=true", { id: tokenId, status: 2 }),
  },
  {
    what: "the token is deleted",
    code: "token_disabled",
    revoke: async (_, { client, tokenId }) => await client.call("DELETE", `/api/token/${tokenId}`),
  },
];

for (const dialect of testDialects) {
  describe(`on ${dialect === "sqlite" ? "one node" : "another node than the console's"}`, () => {
    const otherFolder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
    let place: Installation;
    let other: Gateway | null = null;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [model] });
      if (dialect === "sqlite") return;
      other = await startGateway(place.home, { env: { TOLLGATE_DATA_DIR: otherFolder } });
    });
    afterAll(async () => {
      await other?.kill();
      await place.close();
      rmSync(otherFolder, { recursive: true, force: true });
    });

    for (const { what, code, revoke } of revocations) {
      test(`a stream ends with an error when ${what}, and costs what came`, async () => {
        const spender = await addSpender(place, 1_000_000);
        const { origin } = other ?? place;
        const begun = Promise.withResolvers<void>();
        const { key } = spender;
        await eventually(
          async () =>
            await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } }),
          ({ status }) => status === 200,
          { what: "the node knows the token" },
        );
        const call = sendChat(
          origin,
          { key, model: model.name, stream: true },
          {
            leaveWhen(progress) {
              if (progress.text().split('"content":').length > 10) begun.resolve();
              return false;
            },
          },
        );
        await Promise.race([begun.promise, call.answer]);
        await revoke(place, spender);
        const answer = await call.answer;

        expect([answer.status, answer.complete]).toEqual([200, true]);
        expect(errorOf(answer)?.code).toBe(code);
        expect(eventsOf(answer.text)).not.toContain("[DONE]");
        const row = await eventually(
          async () =>
            (await readLogs(place.root, { type: 2 })).find(
              ({ request_id }) => request_id === requestIdOf(answer),
            ),
          (found) => found !== undefined,
          { what: "the row of the stream" },
        );
        expect(row?.usage_source).toBe("local");
        expect(row?.completion_tokens).toBeGreaterThanOrEqual(10);
        expect(row?.completion_tokens).toBeLessThanOrEqual(20);
        expect(row?.content).toContain("输出中止");
        const metrics = await (await fetch(`${origin}/metrics`)).text();
        expect(metrics).toContain("tollgate_calls_open 0");
        expect(metrics).toContain("tollgate_holds_open 0");
      });
    }
  });
}

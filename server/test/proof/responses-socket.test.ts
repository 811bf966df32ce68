/**
 * Responses over a WebSocket on the built product, with upstreams of three other formats: turns with
 * tools, rows, charges, revocation on another node, the end of a balance, a stop, and the audit.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#base/json.ts";
import { testDialects } from "#db/testing/database.ts";
import { connectResponses, responseId } from "#relay/testing/responses-socket.ts";
import { untilApplied } from "#test/applied.ts";
import { addChannel } from "#test/console.ts";
import { type Gateway, runCommand, startGateway } from "#test/gateway.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { balanceOf, eventually, readLogs } from "./ledger.ts";

/** The channel types of upstreams by the format that they speak. */
const wires = { "openai-chat": 1, "anthropic-messages": 14, "gemini-generate": 24 } as const;

const script = {
  promptTokens: 100,
  events: 5,
  callOneOf: [{ name: "read_file", arguments: { path: "a.txt" } }],
};
const price = { ratio: 2, completionRatio: 4 };
const models = [
  ...Object.keys(wires).map((name) => ({ name: `by-${name}`, script, ...price })),
  { name: "endless", script: { promptTokens: 17, events: 20, hold: 10 }, ...price },
  { name: "held", script: { promptTokens: 17, events: 20, hold: 10 }, ...price },
  { name: "long", script: { promptTokens: 17, events: 5_000, eventDelayMs: 1 }, ...price },
] as const;

const tools = [
  { type: "function", name: "read_file", parameters: { type: "object", properties: {} } },
];
const quota = 10_000_000;

for (const dialect of testDialects) {
  describe(`on ${dialect === "sqlite" ? "one node" : "another node than the console's"}`, () => {
    const otherFolder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
    let place: Installation;
    let other: Gateway | null = null;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models });
      for (const [wire, type] of Object.entries(wires)) {
        await addChannel(place.root, {
          name: wire,
          type,
          base_url: place.demo.url,
          models: `by-${wire}`,
          priority: 10,
          setting: JSON.stringify({ wire }),
        });
      }
      if (dialect === "sqlite") return;
      other = await startGateway(place.home, { env: { TOLLGATE_DATA_DIR: otherFolder } });
    });
    afterAll(async () => {
      await other?.kill();
      await place.close();
      rmSync(otherFolder, { recursive: true, force: true });
    });

    const connect = async ({ key }: Spender, at: Gateway | null = other) => {
      const { origin } = at ?? place;
      const headers = { authorization: `Bearer ${key}` };
      await eventually(
        async () => await fetch(`${origin}/v1/models`, { headers }),
        ({ status }) => status === 200,
        { what: "the node knows the token" },
      );
      return connectResponses(origin, headers);
    };

    for (const wire of Object.keys(wires)) {
      test(`turns with a tool at an upstream of ${wire} are a row each, and cost what it reports`, async () => {
        const spender = await addSpender(place, quota);
        const client = await connect(spender);
        const model = `by-${wire}`;
        client.create({ model, tools, input: "be brief", generate: false });
        const warm = await client.ended();
        client.create({ model, tools, input: "read it", previous_response_id: responseId(warm) });
        const first = await client.ended(2);
        const call = itemsOf(first).find(({ type }) => type === "function_call");
        expect([call?.["name"], call?.["arguments"]]).toEqual(["read_file", '{"path":"a.txt"}']);
        const output = { type: "function_call_output", call_id: call?.["call_id"], output: "b" };
        client.create({ model, tools, input: [output], previous_response_id: responseId(first) });
        const second = await client.ended(3);
        client.socket.close();

        expect(second["type"]).toBe("response.completed");
        expect(itemsOf(second).map(({ type }) => type)).toEqual(["message"]);
        const rows = await eventually(
          async () => await readLogs(place.root, { type: 2, model }),
          ({ length }) => length === 2,
          { what: "the rows" },
        );
        const told = client.events.flatMap(({ headers }) =>
          // Safe cast: the gateway's own events.
          headers === undefined ? [] : [(headers as JsonObject)["x-request-id"]],
        );
        const ids = rows.map(({ request_id: id }) => id);
        expect([ids.length, told.length]).toEqual([2, 3]);
        expect(told.slice(1).every((id) => ids.some((each) => each === id))).toBeTrue();
        expect(rows.map(({ usage_source: source }) => source)).toEqual(["upstream", "upstream"]);
        const cost = rows.reduce((sum, row) => sum + row.quota, 0);
        expect(cost).toBeGreaterThan(2 * 100 * price.ratio);
        expect(await balanceOf(spender.client)).toBe(quota - cost);
      });
    }

    const revocations: readonly (readonly [
      what: string,
      status: number,
      revoke: (spender: Spender) => Promise<unknown>,
    ])[] = [
      [
        "the user is disabled",
        403,
        async ({ client }) =>
          await place.root.call("POST", "/api/user/manage", {
            id: client.userId,
            action: "disable",
          }),
      ],
      [
        "the token is deleted",
        401,
        async ({ client, tokenId }) => await client.call("DELETE", `/api/token/${tokenId}`),
      ],
    ];
    for (const [what, status, revoke] of revocations) {
      test(`a socket ends in mid-turn when ${what}, charged for what came`, async () => {
        const spender = await addSpender(place, quota);
        const client = await connect(spender);
        client.create({ model: "endless", input: "hi" });
        await eventually(
          async () => client.types().filter((type) => type === "response.output_text.delta"),
          ({ length }) => length >= 5,
          { what: "the turn runs" },
        );
        await revoke(spender);
        await eventually(
          async () => client.closed,
          ({ length }) => length === 1,
          { what: "the socket is closed" },
        );

        const last = client.events.at(-1) ?? {};
        expect([last["type"], last["status"], client.closed]).toEqual(["error", status, [1_008]]);
        const rows = await eventually(
          async () => await readLogs(place.root, { type: 2, model: "endless" }),
          (found) => found.some(({ user_id: id }) => id === spender.client.userId),
          { what: "the row" },
        );
        const row = rows.find(({ user_id: id }) => id === spender.client.userId);
        expect(row?.content).toContain("输出中止");
        expect(row?.completion_tokens).toBeGreaterThanOrEqual(5);
      });
    }

    test("a turn ends where the balance ends, and the next is refused; the socket stays", async () => {
      const spender = await addSpender(place, 8_000);
      const client = await connect(spender);
      client.create({ model: "long", input: "hi", max_output_tokens: 100_000 });
      const cut = await client.ended();
      client.create({ model: "long", input: "hi" });
      const refused = await client.ended(2);

      expect([cut["type"], cut["status"], refused["status"]]).toEqual(["error", 403, 403]);
      expect(client.types()).toContain("response.output_text.delta");
      expect(client.closed).toEqual([]);
      // What one node was told, others see within a second.
      await untilApplied((other ?? place).origin);
      expect(await balanceOf(spender.client)).toBeLessThan(100);
      client.socket.close();
    });

    test("a stop lets the turn that runs come to its end, and the audit agrees", async () => {
      const spender = await addSpender(place, quota);
      const client = await connect(spender, null);
      client.create({ model: "held", input: "hi" });
      await eventually(
        async () => client.types(),
        (types) => types.includes("response.output_text.delta"),
        { what: "the turn runs" },
      );
      const stopped = place.gateway().stop("SIGINT");
      await fetch(`${place.demo.url}/__demo/release/held`, { method: "POST" });
      const ended = await client.ended();
      expect(await stopped).toBe(0);
      await eventually(
        async () => client.closed,
        ({ length }) => length === 1,
        { what: "the socket is closed" },
      );

      expect([ended["type"], client.closed]).toEqual(["response.completed", [1_001]]);
      if (other !== null) expect(await other.stop("SIGINT")).toBe(0);
      other = null;
      const audit = await runCommand(place.home, ["audit"]);
      expect(audit.code, audit.output).toBe(0);
    });
  });
}

/** The output of the response that an event ends. */
function itemsOf(event: JsonObject): readonly JsonObject[] {
  // Safe casts: the gateway's own events.
  const response = (event["response"] ?? {}) as JsonObject;
  return (response["output"] ?? []) as readonly JsonObject[];
}

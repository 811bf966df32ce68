/**
 * Runs alone: every node is under load, and a disk is full.
 *
 * A row of the table of faults with a PostgreSQL of its own disk: the tables lie on a small file
 * system, which is filled under load and freed again.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { chat, errorOf } from "#test/proof/chat-call.ts";
import { addPayer, quick } from "#test/proof/cluster-scene.ts";
import { eventually } from "#test/proof/ledger.ts";
import { isLong } from "#test/proof/size.ts";
import { fillDisk, mountSmallDisk, unmountSmallDisk } from "#test/proof/small-disk.ts";
import { type FaultScene, nodeCount, openFaultScene } from "./fault-table.ts";

/** Room for a database and what the rows of this test add to it. */
const megabytes = isLong ? 256 : 96;
const tablespace = `small_${process.pid}`;

let folder = "";
let scene: FaultScene;
let server: Client;

beforeAll(async () => {
  scene = await openFaultScene(async (url) => {
    const target = new URL(url);
    const name = target.pathname.slice(1);
    target.pathname = "/postgres";
    server = new Client({ connectionString: target.href });
    await server.connect();
    const { rows } = await server.query<{ data: string }>(
      "select current_setting('data_directory') as data",
    );
    const data = rows[0]?.data ?? "";
    folder = mkdtempSync(join(dirname(data), "disk-"));
    mountSmallDisk(folder, megabytes);
    const { uid, gid } = statSync(data);
    chownSync(folder, uid, gid);
    await server.query(`create tablespace ${tablespace} location '${folder}'`);
    await server.query(`alter database ${name} set tablespace ${tablespace}`);
  });
}, 240_000);

afterAll(async () => {
  await scene.close();
  await server.query(`drop tablespace ${tablespace}`);
  await server.end();
  unmountSmallDisk(folder);
}, 60_000);

test(
  "disk: PostgreSQL's disk is full under load, and freed again",
  async () => {
    const { spender } = await addPayer(scene.cluster, 100_000);
    await Bun.sleep(1_500);
    const judged = await scene.under(async ([first]) => {
      const origin = first?.origin ?? "";
      for (let round = 0; round < (isLong ? 10 : 1); round += 1) {
        const filler = fillDisk(folder);
        const refused = await eventually(
          async () => await chat(origin, { key: spender.key, model: quick.name, stream: false }),
          ({ status, headers }) => status === 503 && headers.has("retry-after"),
          { what: "a call is refused", maxMs: 60_000 },
        );
        expect(errorOf(refused)?.code).toBe("billing_unavailable");
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
        await Bun.sleep(isLong ? 12_000 : 2_000);
        rmSync(filler);
        await eventually(
          async () => await chat(origin, { key: spender.key, model: quick.name, stream: true }),
          ({ status }) => status === 200,
          { what: "a call once there is space", maxMs: 60_000 },
        );
      }
    });
    for (let node = 0; node < nodeCount; node += 1) {
      expect(judged.harmTo(node), judged.failuresOf(node)).toBeLessThanOrEqual(0.05);
      expect(judged.ofNode[node]?.length).toBeGreaterThan(0);
    }
  },
  isLong ? 600_000 : 180_000,
);

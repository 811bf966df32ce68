/** Two processes on one PostgreSQL database: a change made on one takes effect on the other. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { untilApplied } from "#test/applied.ts";
import { addToken, addUser, type ConsoleClient, signIn } from "#test/console.ts";
import { type Gateway, startGateway } from "#test/gateway.ts";
import { addQuota, eventually, readSelf } from "#test/proof/ledger.ts";
import { chat, chatUntilBilled } from "#test/proof/chat-call.ts";
import { type Installation, openInstallation, setOption } from "#test/proof/installation.ts";

/** A call has 17 input and 20 output tokens, which cost 37 quota units. */
const model = { name: "shared", script: { promptTokens: 17, events: 20 }, ratio: 1 };
const callCost = 37;

const dollar = 500_000;

describe("two nodes on one database", () => {
  const otherFolder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
  let here: Installation;
  let there: Gateway;
  let user: ConsoleClient;
  let key: string;
  beforeAll(async () => {
    here = await openInstallation("postgres", {
      models: [model],
      channel: { group: "default,vip" },
    });
    there = await startGateway(here.home, { env: { TOLLGATE_DATA_DIR: otherFolder } });
    user = await addUser(here.root, here.origin, 10 * dollar);
    key = (await addToken(user)).key;
  });
  afterAll(async () => {
    await there.kill();
    await here.close();
    rmSync(otherFolder, { recursive: true, force: true });
  });

  const callThere = async (by = key) =>
    await chat(there.origin, { key: by, model: model.name, stream: false });

  test("options saved on one are in force on the other: they are shown, and decide prices and refusals", async () => {
    const status = async (): Promise<unknown> =>
      Object(await (await fetch(`${there.origin}/api/status`)).json()).data;
    await setOption(here.root, "SystemName", "Both");
    await eventually(status, (shown) => Object(shown).system_name === "Both", {
      what: "the other node shows the name",
    });

    expect((await callThere()).status).toBe(200);
    const words = "SensitiveWords";
    await setOption(here.root, words, "hello");
    await eventually(callThere, ({ status: code }) => code === 400, {
      what: "the other node refuses the word",
    });
    await setOption(here.root, words, "");
    await eventually(callThere, ({ status: code }) => code === 200, {
      what: "the other node takes it again",
    });

    await setOption(here.root, "ModelRatio", JSON.stringify({ [model.name]: 2 }));
    await eventually(
      async () => {
        const before = await readSelf(user);
        await callThere();
        // What one node was told, others see within a second.
        await untilApplied(there.origin);
        return before.quota - (await readSelf(user)).quota;
      },
      (cost) => cost === 2 * callCost,
      { what: "the other node charges the new price" },
    );
    await setOption(here.root, "ModelRatio", JSON.stringify({ [model.name]: 1 }));
  });

  test("a group closed to users on one refuses their tokens on the other", async () => {
    const vip = await addToken(user, { group: "vip" });
    await eventually(
      () => callThere(vip.key),
      ({ status }) => status === 200,
      { what: "the other node knows the token" },
    );
    await setOption(here.root, "UserUsableGroups", JSON.stringify({ default: "everybody" }));
    const refused = await eventually(
      () => callThere(vip.key),
      ({ status }) => status === 403,
      { what: "the other node refuses the group" },
    );
    expect(refused.text).toContain("The API key's group vip is disabled");
    // A user may always use the user's own group, even if the option leaves it out.
    await here.root.call("PUT", "/api/user/", { id: user.userId, group: "vip" });
    await eventually(
      () => callThere(vip.key),
      ({ status }) => status === 200,
      { what: "the other node knows the user's new group" },
    );
  });

  test("a user disabled on one is refused on the other: by session, access token and key", async () => {
    const other = await addUser(here.root, here.origin, dollar);
    const token = await addToken(other);
    const accessToken = await other.call<string>("POST", "/api/user/token");
    await eventually(
      () => callThere(token.key),
      ({ status }) => status === 200,
      { what: "the other node serves the new user" },
    );
    const program = async (): Promise<{ success: boolean }> => {
      const headers = { authorization: accessToken, "new-api-user": String(other.userId) };
      const answer = await fetch(`${there.origin}/api/user/self`, { headers });
      // Safe cast: every console answer has this envelope.
      return (await answer.json()) as { success: boolean };
    };
    expect((await program()).success).toBe(true);

    await here.root.call("POST", "/api/user/manage", { id: other.userId, action: "disable" });
    expect((await program()).success).toBe(false);
    await eventually(
      () => callThere(token.key),
      ({ status }) => status === 403,
      { what: "the other node refuses the key" },
    );
  });

  test("transfers of earnings on both at the same time move the earnings once", async () => {
    await setOption(here.root, "QuotaForInviter", String(3 * dollar));
    const inviter = await addUser(here.root, here.origin, 0);
    const { aff_code } = await readSelf(inviter);
    const body = { username: "invited", password: "a long enough password", aff_code };
    // Sent by somebody without a session: registering signs the new user in.
    await fetch(`${here.origin}/api/user/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const before = await readSelf(inviter);
    expect(before.aff_quota).toBe(3 * dollar);

    const account = { username: before.username, password: "a long enough password" };
    const inviterThere = await signIn(there.origin, account);
    const moves = Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? inviter : inviterThere).send("POST", "/api/user/aff_transfer", {
        quota: dollar,
      }),
    );
    const moved = (await Promise.all(moves)).filter(({ success }) => success).length;
    expect(moved).toBe(3);
    expect(await readSelf(inviter)).toMatchObject({
      quota: before.quota + 3 * dollar,
      aff_quota: 0,
      aff_history_quota: 3 * dollar,
    });
  });

  test("quota changed on one while calls settle on both loses no unit", async () => {
    await untilApplied(there.origin);
    const before = await readSelf(user);
    const rootThere = await signIn(there.origin);
    const rounds = 15;
    const calls = Array.from({ length: 2 * rounds }, async (_, index) => {
      const origin = index % 2 === 0 ? here.origin : there.origin;
      const stream = index % 3 === 0;
      const answer = await chatUntilBilled(origin, { key, model: model.name, stream });
      return answer.status === 200 ? "served" : `${index}: ${answer.status} ${answer.text}`;
    });
    const edits = Array.from({ length: rounds }, async (_, index) => {
      await addQuota(index % 2 === 0 ? here.root : rootThere, user.userId, 1_000);
      await addQuota(here.root, user.userId, -400);
    });
    const [answers] = await Promise.all([Promise.all(calls), Promise.all(edits)]);
    expect(answers.filter((answer) => answer !== "served")).toEqual([]);
    const served = answers.length;
    const expected: Partial<User> = {
      quota: before.quota + rounds * 600 - served * callCost,
      used_quota: before.used_quota + served * callCost,
      request_count: before.request_count + served,
    };
    await untilApplied(there.origin);
    expect(await readSelf(user)).toMatchObject(expected);
  });
});

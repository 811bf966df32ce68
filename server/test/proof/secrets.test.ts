import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { options } from "@tollgate/contract/options/options.ts";
import { sql } from "kysely";
import { Secret, TOTP } from "otpauth";
import { openDatabase } from "#db/connection.ts";
import { testDialects } from "#db/testing/database.ts";
import { addChannel, addToken, addUser, type ConsoleClient } from "#test/console.ts";
import { rootUser } from "#test/gateway.ts";
import { chat, isWhole } from "./chat-call.ts";
import { reads, streamed } from "#test/console-reads.ts";
import { addressOf } from "./database-after.ts";
import { addModels, type Installation, openInstallation, setOption } from "./installation.ts";

/**
 * Figures of what calls cost the gateway, which root alone sees: what the upstream reports, what the
 * cost list says, and what it gives in quota units.
 */
const reported = 0.0739154268;
const perCall = "1.463908536";
const costCanaries = ["739154268", "1.463908536", "731954"];

/** Secrets that contain the word `canary`, by which they are found wherever they appear. */
const canaries = {
  channelKey: "sk-canary-channel-4f1c9b7e2d",
  secondChannelKey: "sk-canary-second-8a3e5d0c61",
  password: "canary password 5b2f8e",
  newPassword: "canary password 9c4d1a",
  webhookSecret: "canary-webhook-secret-71d0e3",
  robotKey: "canary-robot-key-93b1f0",
  /** Of a conversation a hash of this is kept. */
  sessionMark: "canary-session-mark-0c5e77",
} as const;

/** Options that can be set but are never returned. */
const secretOptions = Object.entries<Field>(options)
  .filter(([, { secret }]) => secret)
  .map(([name]) => name);

for (const dialect of testDialects) {
  describe(dialect, () => {
    let place: Installation;
    /** The secrets for which answers, log and database are searched, by name. */
    const secrets = new Map<string, string>();
    const answers: { readonly path: string; readonly text: string }[] = [];
    let user: ConsoleClient;
    /** What the upstream's and the gateway's answers say to everybody but root, after such a call. */
    const untold: { readonly path: string; readonly text: string }[] = [];
    let log = "";

    beforeAll(async () => {
      // Opened with the most detailed log level, so that the search for secrets sees everything the
      // server can log.
      place = await openInstallation(dialect, {
        models: [],
        channel: { models: "unused" },
        env: { TOLLGATE_LOG: "trace" },
      });
      const { root, demo, origin } = place;
      for (const [name, value] of Object.entries(canaries)) secrets.set(name, value);
      secrets.set("root password", rootUser.password);
      const model = (name: string, script: object) => ({ name, script, ratio: 1 });
      await addModels(root, demo, [
        model("canary-good", { events: 3 }),
        model("canary-401", { status: 401 }),
        model("canary-cut", { events: 9, cut: { after: 3, how: "reset" } }),
        model("canary-cost", {
          usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, cost: reported },
        }),
      ]);
      const channelId = await addChannel(root, {
        base_url: demo.url,
        models: "canary-good,canary-401,canary-cut,canary-cost",
        key: `${canaries.channelKey}\n${canaries.secondChannelKey}`,
      });

      user = await addUser(root, origin, 1_000_000);
      const token = await addToken(user, { name: "canary" });
      secrets.set("token", token.key.slice("sk-".length));
      await user.call("PUT", "/api/user/self", {
        password: canaries.password,
        original_password: "a long enough password",
      });
      await user.send("PUT", "/api/user/self", {
        password: canaries.newPassword,
        original_password: "canary wrong 77aa01",
      });
      secrets.set("wrong password", "canary wrong 77aa01");
      const { username } = await user.call<{ username: string }>("GET", "/api/user/self");
      const signedIn = await fetch(`${origin}/api/user/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username, password: canaries.password }),
      });
      const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      secrets.set("session cookie", decodeURIComponent(cookie.split("=")[1] ?? "?"));
      const accessToken = await user.call<string>("GET", "/api/user/token");
      secrets.set("access token", accessToken);

      await useSecondFactor(username);
      await useRobot();

      for (const name of ["canary-good", "canary-401", "canary-cut"]) {
        for (const stream of [true, false]) {
          const answer = await chat(origin, { key: token.key, model: name, stream });
          answers.push({ path: name, text: JSON.stringify([...answer.headers]) + answer.text });
          if (name === "canary-good") expect(isWhole(answer, stream)).toBe(true);
        }
      }
      await useCosts(channelId, token.key);
      const wrong = `sk-${"9canary9".repeat(6)}`;
      secrets.set("unknown token", wrong.slice("sk-".length));
      const refused = await chat(origin, { key: wrong, model: "canary-good", stream: false });
      answers.push({ path: "unknown token", text: refused.text });
      await setOption(root, "SystemName", "Canary");
      // The secrets of payments open online payment, and root has no second factor here.
      await setOption(root, "RootSecondFactorRequired", "false");
      for (const name of secretOptions) {
        const value = `canary-${name.toLowerCase()}-6d0f2b`;
        secrets.set(`option ${name}`, value);
        await setOption(root, name, value);
        // The option is saved again, because only then does the audit log record an old value.
        await setOption(root, name, value);
      }
      await root.send("PUT", "/api/channel/", { id: channelId, key: "", name: "kept" });
      await root.send("GET", `/api/channel/test/${channelId}`);

      for (const path of [...reads, `/api/channel/${channelId}`, `/api/token/${token.id}`]) {
        for (const client of [root, user]) answers.push({ path, text: await textOf(client, path) });
      }
      log = place.gateway().output();
      expect(await place.gateway().stop("SIGINT")).toBe(0);
      log = place.gateway().output();
    });
    afterAll(async () => await place.close());

    /** Makes calls whose cost is known, and reads all that others than root may read of them. */
    async function useCosts(channelId: number, key: string): Promise<void> {
      const { root, origin } = place;
      const models = { "canary-cost": { perCall } };
      // Each key became a channel of its own.
      const channels = await root.call<{ id: number }[]>("GET", "/api/channel/?p=0&page_size=100");
      for (const one of channels) {
        await root.call("PUT", `/api/channel/${one.id}/costs`, { models });
      }
      const id = (answer: Response) => answer.headers.get("x-request-id") ?? "";
      for (const stream of [true, false]) {
        const answer = await fetch(`${origin}/v1/chat/completions`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            "x-session-id": canaries.sessionMark,
            "x-tollgate-tag-job": "batch",
          },
          body: JSON.stringify({
            model: "canary-cost",
            stream,
            ...(stream ? { stream_options: { include_usage: true, include_cost: true } } : {}),
            messages: [{ role: "user", content: "hi" }],
          }),
        });
        const text = await answer.text();
        expect(text).toContain("prompt_tokens");
        untold.push({ path: "the call", text: JSON.stringify([...answer.headers]) + text });
        const headers = { authorization: `Bearer ${key}` };
        const told = await fetch(`${origin}/v1/generation?id=${id(answer)}`, { headers });
        untold.push({ path: "/v1/generation", text: await told.text() });
      }
      const admin = await addUser(root, origin, 0);
      const { id: adminId } = await admin.call<{ id: number }>("GET", "/api/user/self");
      await root.call("POST", "/api/user/manage", { id: adminId, action: "promote" });
      type Row = { id: number; model_name: string; conversation_id: number };
      const { items } = await root.call<{ items: Row[] }>("GET", "/api/log/?p=1&page_size=10");
      const found = items.find(({ model_name }) => model_name === "canary-cost");
      const row = found?.id ?? 0;
      const conversation = found?.conversation_id ?? 0;
      expect(conversation).toBeGreaterThan(0);
      untold.push(await sharedConversation(conversation));
      const more = [
        "/api/user/self/entries",
        "/api/dashboard/",
        "/api/dashboard/self",
        "/api/data/",
        "/api/data/self/",
        "/api/data/channelUseData",
        "/api/margins/",
        "/api/margins/losses",
        `/api/margins/call/${row}`,
        `/api/log/charge/${row}`,
        `/api/log/receipt/${row}`,
        `/api/conversation/${conversation}`,
        `/api/conversation/${conversation}/links`,
        `/api/channel/${channelId}`,
        `/api/channel/${channelId}/costs`,
        `/api/channel/${channelId}/costs/versions`,
      ];
      for (const path of [...reads, ...more]) {
        for (const client of [user, admin]) untold.push({ path, text: await textOf(client, path) });
      }
      // Root sees all of it, so these figures are what the search has to look for.
      const call = await textOf(root, `/api/margins/call/${row}`);
      expect(call).toContain("731954");
      expect(call).toContain("739154268");
      expect(await textOf(root, `/api/channel/${channelId}/costs`)).toContain(perCall);
      expect(await textOf(root, "/api/margins/")).toContain(String(2 * 731_954));
    }

    /** Shares a conversation of the user's, and reads what everybody with the link sees of it. */
    async function sharedConversation(id: number) {
      const links = `/api/conversation/${id}/links`;
      const made = await user.call<{ secret: string }>("POST", links, { days: 1 });
      secrets.set("secret of a conversation's link", made.secret);
      const answer = await fetch(`${place.origin}/api/conversation/shared`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ secret: made.secret }),
      });
      const text = await answer.text();
      expect(text).toContain('"turns":[{');
      const { username } = await user.call<{ username: string }>("GET", "/api/user/self");
      for (const name of [username, "batch", '"hi"']) expect(text).not.toContain(name);
      return { path: "/api/conversation/shared", text };
    }

    /** Sends test notices through a forwarder that answers with everything it received. */
    async function useRobot(): Promise<void> {
      let status = 500;
      const worker = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: async (request) => new Response(await request.text(), { status }),
      });
      await setOption(place.root, "WorkerUrl", `http://127.0.0.1:${worker.port}/`);
      for (status of [500, 200]) {
        await user.call("PUT", "/api/user/setting", {
          notify_type: "dingtalk",
          quota_warning_threshold: 1,
          robot_key: canaries.robotKey,
        });
        const tried = await user.send("POST", "/api/user/setting/test");
        expect(tried.success).toBe(false);
        answers.push({ path: "test notice", text: JSON.stringify(tried) });
      }
      await setOption(place.root, "WorkerUrl", "");
      await worker.stop(true);
    }

    /**
     * Sets up a second factor, and uses its codes rightly and wrongly: secrets that the owner sees
     * once.
     */
    async function useSecondFactor(username: string): Promise<void> {
      await user.call("PUT", "/api/user/setting", {
        notify_type: "webhook",
        quota_warning_threshold: 1,
        webhook_url: "https://hooks.example/canary",
        webhook_secret: canaries.webhookSecret,
      });
      const password = canaries.password;
      const { secret } = await user.call<{ secret: string }>("POST", "/api/user/2fa/setup", {
        password,
      });
      secrets.set("authenticator secret", secret);
      const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
      const { recovery_codes: codes } = await user.call<{ recovery_codes: string[] }>(
        "POST",
        "/api/user/2fa/enable",
        { code },
      );
      expect(codes.length).toBeGreaterThan(5);
      for (const one of codes) {
        secrets.set(`recovery code ${one}`, one);
        secrets.set(`recovery code ${one}, bare`, one.replace("-", ""));
      }
      const post = async (path: string, body: object): Promise<Response> =>
        await fetch(place.origin + path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
      const first = await post("/api/user/login", { username, password });
      // Safe cast: the contract of a sign-in that asks for a second factor.
      const { data } = (await first.json()) as { data: { ticket: string } };
      secrets.set("ticket of a sign-in", data.ticket);
      for (const tried of [code, codes[0]]) {
        const step = await post("/api/user/login/2fa", { ticket: data.ticket, code: tried });
        answers.push({ path: "second step", text: await step.text() });
        const cookie = step.headers.getSetCookie()[0]?.split(";")[0] ?? "";
        if (cookie !== "") secrets.set("session after a code", cookie.split("=")[1] ?? "");
      }
      expect([...secrets.keys()]).toContain("session after a code");
    }

    async function textOf(client: ConsoleClient, path: string): Promise<string> {
      if (streamed.test(path)) return await (await client.open(path)).text();
      if (!path.startsWith("/api/")) {
        const answer = await fetch(place.origin + path);
        return JSON.stringify([...answer.headers]) + (await answer.text());
      }
      return JSON.stringify(await client.send("GET", path));
    }

    function expectNoSecretIn(where: string, text: string): void {
      for (const [name, secret] of secrets) {
        // Every secret is long, such as a recovery code of ten characters out of 32, so no other
        // text equals one by chance.
        expect(secret.length, name).toBeGreaterThanOrEqual(10);
        expect(text.includes(secret), `${name} stands in ${where}`).toBe(false);
      }
    }

    test("no answer carries a secret", () => {
      expect(answers.length).toBeGreaterThan(2 * reads.length);
      expect(secretOptions.length).toBeGreaterThan(5);
      // The search would prove nothing if the answers were refusals, so these must be real rows
      // with masked keys.
      for (const path of ["/api/channel/?p=0&page_size=100", "/api/token/?p=0&page_size=100"]) {
        expect(answers.some((one) => one.path === path && one.text.includes("••••"))).toBe(true);
      }
      for (const { path, text } of answers) expectNoSecretIn(`the answer of ${path}`, text);
    });

    test("nobody but root is told what a call costs the gateway", () => {
      expect(untold.length).toBeGreaterThan(2 * reads.length);
      for (const { path, text } of untold) {
        for (const figure of [...costCanaries, String(2 * 731_954)]) {
          expect(text.includes(figure), `${figure} stands in the answer of ${path}`).toBe(false);
        }
      }
    });

    test("no log line carries a secret", () => {
      expect(log.length).toBeGreaterThan(1_000);
      expectNoSecretIn("the log", log);
    });

    test("no byte of the stored state carries a secret", async () => {
      const { home } = place;
      for (const name of readdirSync(home.dataDir)) {
        const bytes = readFileSync(join(home.dataDir, name)).toString("latin1");
        expectNoSecretIn(name, bytes);
      }
      if (dialect === "postgres") expectNoSecretIn("the database", await dumpPostgres());
    });

    async function dumpPostgres(): Promise<string> {
      const opened = openDatabase(addressOf(place.home), "reader");
      const { rows: tables } = await sql<{ name: string }>`
        select table_name as name from information_schema.tables
        where table_schema = 'public'`.execute(opened.db);
      const texts: string[] = [];
      for (const { name } of tables) {
        const { rows } = await sql`select * from ${sql.table(name)}`.execute(opened.db);
        texts.push(JSON.stringify(rows));
      }
      await opened.close();
      expect(tables.length).toBeGreaterThan(10);
      return texts.join("\n");
    }
  });
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CallTexts } from "@tollgate/contract/endpoints/logs.ts";
import { sql } from "kysely";
import { openDatabase } from "#db/connection.ts";
import { testDialects } from "#db/testing/database.ts";
import { addToken, addUser, type ConsoleClient } from "#test/console.ts";
import { chat } from "./chat-call.ts";
import { addressOf } from "./database-after.ts";
import { type Installation, openInstallation, setOption } from "./installation.ts";

/** Texts of calls that contain the word `canary`, by which they are found wherever they appear. */
const prompt = "canary question about my illness 5f19";
const answer = "canaryanswer7c2d ";
const quoted = `Invalid content: '${prompt}' is not allowed. canaryanswer7c2d`;
const key = "sk-canarykey1234567890abcdef";

const scripts = {
  "texts-plain": { events: 3, piece: answer },
  "texts-400": { status: 400, body: JSON.stringify({ error: { message: quoted, code: prompt } }) },
  "texts-401": { status: 401, body: JSON.stringify({ error: { message: quoted } }) },
  "texts-500": { status: 500, body: JSON.stringify({ error: { message: quoted } }) },
  "texts-cut": { events: 9, piece: answer, cut: { after: 3, how: "reset" } },
} as const;

/** Paths of everything that a console shows about calls. */
const reads = [
  "/api/log/?p=1&page_size=100",
  "/api/log/self/?p=1&page_size=100",
  "/api/log/new/?p=1&page_size=100",
  "/api/audit/?page_size=100",
  "/api/channel/?p=0&page_size=100",
  "/api/token/?p=0&page_size=100",
  "/api/option/",
  "/api/log/texts",
  "/metrics",
];

type Row = { readonly id: number; readonly model_name: string; readonly is_stream: boolean };

for (const dialect of testDialects) {
  describe(`texts of calls on ${dialect}`, () => {
    let place: Installation;
    let root: ConsoleClient;
    let user: ConsoleClient;
    let relayKey: string;

    beforeAll(async () => {
      // The most detailed log level, so that the sweep sees everything the server can log.
      place = await openInstallation(dialect, {
        models: Object.entries(scripts).map(([name, script]) => ({ name, script, ratio: 1 })),
        env: { TOLLGATE_LOG: "trace" },
        channel: { auto_ban: 0 },
      });
      ({ root } = place);
      user = await addUser(root, place.origin, 100_000_000);
      relayKey = (await addToken(user)).key;
    });
    afterAll(async () => await place.close());

    const send = async (model: string, stream: boolean, body: object = {}): Promise<Row> => {
      const before = await listRows();
      await chat(place.origin, {
        key: relayKey,
        model,
        stream,
        content: prompt,
        body: { ...body },
      });
      return await newRow(before.length);
    };
    const listRows = async (): Promise<readonly Row[]> => {
      const { items } = await root.call<{ items: Row[] }>("GET", "/api/log/new/?p=1&page_size=100");
      return items.filter(({ model_name }) => model_name !== "");
    };
    const newRow = async (count: number): Promise<Row> => {
      for (;;) {
        const rows = await listRows();
        if (rows.length > count && rows[0] !== undefined) return rows[0];
        await Bun.sleep(20);
      }
    };
    const read = async (id: number): Promise<CallTexts> =>
      await root.call("GET", `/api/log/extend/${id}`);
    /** Texts are stored a moment after their answer. */
    const readStored = async (id: number): Promise<CallTexts> => {
      for (;;) {
        const texts = await read(id);
        if (texts.stored) return texts;
        await Bun.sleep(20);
      }
    };

    test("O-441: nothing is stored until root turns the texts on, and calls without texts read as empty", async () => {
      const row = await send("texts-plain", false);

      expect(await user.call("GET", "/api/log/texts")).toEqual({
        enabled: false,
        days: 7,
        bytes_max: 65_536,
        dropped: null,
      });
      const nothing = { prompt: "", completion: "", stored: false };
      expect(await read(row.id)).toEqual({ ...nothing, prompt_bytes: 0, completion_bytes: 0 });
      if (dialect === "sqlite") {
        expect(existsSync(join(place.home.dataDir, "transcripts.db"))).toBe(false);
      }
    });

    test("O-439 O-440 O-469 O-478: once they are on, root reads what was asked and answered, and only root", async () => {
      await setOption(root, "LogContentEnabled", "true");
      const whole = await send("texts-plain", false);
      const stream = await send("texts-plain", true);

      const texts = await readStored(whole.id);
      expect(JSON.parse(texts.prompt)).toMatchObject({ messages: [{ content: prompt }] });
      expect(texts.completion).toContain(answer.trim());
      expect(JSON.parse(texts.completion)).toMatchObject({ choices: [{ message: {} }] });
      expect((await readStored(stream.id)).completion).toBe(answer.repeat(3));
      const refused = await user.send("GET", `/api/log/extend/${whole.id}`);
      expect(refused.success).toBe(false);
    });

    test("reading a text, and turning texts on, is audited", async () => {
      type Audited = { items: { action: string; target: string; detail: string }[] };
      const { items } = await root.call<Audited>("GET", "/api/audit/?page_size=100");
      const reading = items.filter(({ action }) => action === "log.read_text");
      expect(reading.length).toBeGreaterThanOrEqual(2);
      expect(items.some(({ target }) => target.includes("LogContentEnabled"))).toBe(true);
    });

    test("pictures, keys and what is beyond the limit are not stored", async () => {
      const data = `data:image/png;base64,${"iVBORw0KGgo".repeat(100)}`;
      const body = {
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url: data } },
              { type: "text", text: `my key is ${key}, Authorization: Bearer abcdef123456` },
            ],
          },
        ],
        metadata: { api_key: "plain words" },
      };
      const stored = await readStored((await send("texts-plain", false, body)).id);

      expect(stored.prompt).toContain("[image/png, 825 bytes]");
      for (const secret of ["iVBORw0KGgo", key, "abcdef123456", "plain words"]) {
        expect(stored.prompt).not.toContain(secret);
      }
      await setOption(root, "LogContentMaxBytes", "100");
      const cut = await readStored((await send("texts-plain", true)).id);
      expect(cut.prompt.length).toBe(100);
      expect(cut.prompt_bytes).toBeGreaterThan(100);
      await setOption(root, "LogContentMaxBytes", "65536");
    });

    test("calls that fail or break off have their texts, too", async () => {
      for (const model of ["texts-400", "texts-401", "texts-500", "texts-cut"] as const) {
        for (const stream of [true, false]) {
          const texts = await readStored((await send(model, stream)).id);
          expect(texts.prompt).toContain(prompt);
          expect(texts.completion).not.toBe("");
        }
      }
    });

    test("turning texts off stops storing and keeps what is there", async () => {
      const kept = (await listRows())[0]?.id ?? 0;
      await setOption(root, "LogContentEnabled", "false");
      const row = await send("texts-plain", true);
      await setOption(root, "LogContentEnabled", "true");
      // Texts are stored in the order in which calls end.
      await readStored((await send("texts-plain", true)).id);

      expect((await read(row.id)).stored).toBe(false);
      expect((await read(kept)).stored).toBe(true);
    });

    test("canary: nothing of a text is in a page, a log line, or a table but the sealed one", async () => {
      for (const model of Object.keys(scripts)) {
        await readStored((await send(model, false)).id);
        await readStored((await send(model, true)).id);
      }
      const texts: [string, string][] = [];
      for (const path of reads) {
        for (const client of [root, user]) {
          const text = path.startsWith("/api/")
            ? JSON.stringify(await client.send("GET", path))
            : await (await fetch(place.origin + path)).text();
          texts.push([path, text]);
        }
      }
      const ids = (await listRows()).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(20);
      expect(await place.gateway().stop("SIGINT")).toBe(0);
      texts.push(["the log", place.gateway().output()]);
      for (const name of readdirSync(place.home.dataDir)) {
        texts.push([name, readFileSync(join(place.home.dataDir, name)).toString("latin1")]);
      }
      if (dialect === "postgres") texts.push(["the database", await dump(place)]);
      else expect(texts.map(([name]) => name)).toContain("transcripts.db");
      for (const [where, text] of texts) {
        // Parts of 16 characters, because a shorter quotation is a word and not a text.
        for (const part of ["canary question ", "about my illness", "canaryanswer7c2d ca", key]) {
          expect(text.includes(part), `${part} stands in ${where}`).toBe(false);
        }
      }
      await place.start();
    });

    test("the texts of a removed user go at once, those of others stay", async () => {
      const other = await addUser(root, place.origin, 100_000_000);
      const mine = relayKey;
      relayKey = (await addToken(other)).key;
      const theirs = await readStored((await send("texts-plain", false)).id).then(
        async () => (await listRows())[0]?.id ?? 0,
      );
      relayKey = mine;
      const kept = (await send("texts-plain", false)).id;
      await readStored(kept);

      await root.call("POST", "/api/user/manage", { id: other.userId, action: "delete" });

      while ((await read(theirs)).stored) await Bun.sleep(20);
      expect((await read(kept)).stored).toBe(true);
    });

    test("root removes all texts at once, which is audited", async () => {
      expect(await root.call<number>("DELETE", "/api/log/texts")).toBeGreaterThan(20);
      for (const { id } of await listRows()) expect((await read(id)).stored).toBe(false);
      const { items } = await root.call<{ items: { action: string }[] }>("GET", "/api/audit/");
      expect(items.map(({ action }) => action)).toContain("log.remove_texts");
      expect((await user.send("DELETE", "/api/log/texts")).success).toBe(false);
    });
  });
}

async function dump({ home }: Installation): Promise<string> {
  const opened = openDatabase(addressOf(home), "reader");
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public'`.execute(opened.db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
      opened.db,
    );
    const shown = rows.flatMap((row) => Object.values(row)).map(textOf);
    texts.push(shown.join("\n"));
  }
  await opened.close();
  expect(tables.map(({ name }) => name)).toContain("transcripts");
  return texts.join("\n");
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);
}

/** Configuration as code: the console's own rules, one transaction, both databases. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDialects } from "#db/testing/database.ts";
import { openErrorTexts } from "#http/error-texts.ts";
import { readConfigurationArguments } from "#modules/configuration/command/configuration-arguments.ts";
import { runConfiguration } from "#modules/configuration/command/configuration-command.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { installPrices } from "#modules/pricing/pricing.ts";
import { badFiles } from "./bad-files.ts";
import { openTestConsole, type TestConsole } from "./open-console.ts";
import { shopEnv, shopFile } from "./shop-file.ts";

const words = openErrorTexts({ language: () => "en", showQuota: String });

for (const dialect of testDialects) {
  describe(`configuration as code on ${dialect}`, () => {
    let folder: string;
    let gateway: TestConsole;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-files-"));
      gateway = await openTestConsole(dialect);
      await gateway.db.transaction().execute(async (tx) => await installPrices(tx, Date.now()));
    });
    afterAll(async () => {
      await gateway.close();
      rmSync(folder, { recursive: true });
    });

    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };

    /** Runs a command line on the installation of the test. */
    async function run(line: readonly string[], env = shopEnv) {
      const [verb, ...rest] = line;
      const asked = readConfigurationArguments(verb as "apply" | "diff" | "export", rest);
      if (asked === undefined) throw new Error(`wrong arguments: ${line.join(" ")}`);
      const printed: string[] = [];
      const told: string[] = [];
      const code = await runConfiguration(asked, {
        env,
        open: async () => gateway.modules.configuration.face,
        words: (message) => words(message, null),
        print: (text) => void printed.push(text),
        tell: (text) => void told.push(text),
      });
      return { code, printed: printed.join("\n"), told };
    }

    const countRows = async (): Promise<number[]> => {
      const counts: number[] = [];
      for (const table of [
        "audit_log",
        "channels",
        "configured_things",
        "options",
        "price_versions",
        "tokens",
        "users",
      ] as const) {
        const { count } = await gateway.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow();
        counts.push(Number(count));
      }
      return counts;
    };

    test("a trial changes nothing; a shop is applied in one price version; twice is once", async () => {
      const file = write("shop.yaml", shopFile);
      const before = await countRows();
      const trial = await run(["diff", file]);
      expect(trial.told).toEqual(["63 things would change."]);
      expect(trial.code).toBe(3);
      expect((await run(["apply", file, "--dry-run"])).printed).toBe(trial.printed);
      expect(await countRows()).toEqual(before);

      const applied = await run(["apply", file]);
      expect(applied.told).toEqual(["63 things changed."]);
      expect(applied.printed).toBe(trial.printed);
      const after = await countRows();
      expect(after).toMatchObject({ 1: 6, 4: 2, 5: 1, 6: 2 });

      expect(await run(["apply", file])).toEqual({
        code: 0,
        printed: "",
        told: ["Nothing differs."],
      });
      expect(await countRows()).toEqual(after);
      expect((await proveLedger(gateway.db)).flaw).toBeNull();
    });

    test("what is changed by hand is shown as drift, and applied again", async () => {
      const file = join(folder, "shop.yaml");
      const root = await gateway.signIn("root", shopEnv["ROOT_PASSWORD"]);
      const { data } = (await root.get("/api/configuration/owned")).body;
      const owned = data as { kind: string; name: string; id: number; drift: object[] }[];
      expect(owned.filter(({ drift }) => drift.length > 0)).toEqual([]);
      const main = owned.find(({ kind, name }) => kind === "channel" && name === "main");
      expect(main).toMatchObject({ source: file });

      expect(
        (await root.put("/api/channel/", { id: main?.id, priority: 99 })).body.success,
      ).toBeTrue();
      expect(
        (await root.put("/api/option/", { key: "RetryTimes", value: "7" })).body.success,
      ).toBeTrue();
      const again = (await root.get("/api/configuration/owned")).body.data as typeof owned;
      expect(again.filter(({ drift }) => drift.length > 0)).toMatchObject([
        { name: "main", drift: [{ field: "priority", wanted: "10", present: "99" }] },
        { name: "RetryTimes", drift: [{ field: "value", wanted: "3", present: "7" }] },
      ]);
      const { printed } = await run(["diff", file]);
      expect(printed).toContain("~ channel main\n    priority: 99 → 10");
      expect((await run(["apply", file])).told).toEqual(["2 things changed."]);
      expect((await run(["apply", file])).told).toEqual(["Nothing differs."]);
    });

    test("a changed secret is noticed, and shown by a fingerprint alone", async () => {
      const file = join(folder, "shop.yaml");
      const env = { ...shopEnv, MAIN_KEY: "sk-another-key" };
      const { printed } = await run(["diff", file], env);
      expect(printed).toMatch(/^~ channel main\n {4}keys: secret:\w{16} → secret:\w{16}$/m);
      expect(printed).not.toContain("sk-");
    });

    test("what is exported is applied without a change, and has no secret in it", async () => {
      const { printed, told } = await run(["export", "--config"]);
      expect(told).toEqual([]);
      for (const secret of Object.values(shopEnv)) expect(printed).not.toContain(secret);
      const names = [...printed.matchAll(/env: (\w+)/g)].map(([, name = ""]) => name);
      expect(names).toContain("CHANNEL_MAIN_KEY");
      const env = Object.fromEntries(
        names.map((name) => {
          if (name.startsWith("CHANNEL")) return [name, shopEnv["MAIN_KEY"] ?? ""];
          const from = { OPTION_EPAYKEY: "EPAY_KEY", OPTION_OIDC_CLIENT_SECRET: "OIDC_SECRET" };
          return [name, shopEnv[from[name as keyof typeof from]] ?? ""];
        }),
      );
      const file = write("exported.yaml", printed);
      expect(await run(["diff", file], env)).toEqual({
        code: 0,
        printed: "",
        told: ["Nothing differs."],
      });
    });

    test("what is not in the file is left alone; --prune removes it from the file's sections", async () => {
      const file = write(
        "channels.yaml",
        "channels:\n  main: { priority: 10 }\noptions: { RetryTimes: 3 }\n",
      );
      expect((await run(["diff", file])).told).toEqual(["Nothing differs."]);
      const pruned = await run(["diff", file, "--prune"]);
      const lines = pruned.printed.split("\n").filter((line) => /^[-~+]/.test(line));
      expect(lines.toSorted()).toEqual([
        "- channel backup",
        "- channel images",
        "- channel local",
        "- channel second",
        "- channel staff",
        "~ option ServerAddress",
      ]);
    });

    test("several files are one document, and none of them may say what another says", async () => {
      mkdirSync(join(folder, "parts"), { recursive: true });
      write("parts/a.yaml", "channels:\n  main: { priority: 10 }\n");
      write("parts/b.json", '{\n  "channels": {\n    "main": { "priority": 11 }\n  }\n}\n');
      const { code, told } = await run(["apply", join(folder, "parts")]);
      expect(code).toBe(1);
      expect(told).toEqual([
        `${join(folder, "parts/b.json")}, line 3: main is also in ${join(folder, "parts/a.yaml")}, line 2.`,
        "Nothing was changed.",
      ]);
    });

    test("a file that is wrong changes nothing, and is told with its line", async () => {
      const before = await countRows();
      const missed: object[] = [];
      for (const { name, text, line, says } of badFiles) {
        const file = write(name, text);
        const { code, told, printed } = await run(["apply", file]);
        const place = line === null ? `${file}: ` : `${file}, line ${line}: `;
        const isTold = told.some((one) => one.startsWith(place) && says.test(one));
        // What is told is in one language.
        const isEnglish = !/[\u4e00-\u9fff]/.test(told.join(""));
        const isUnchanged = code === 1 && printed === "" && told.at(-1) === "Nothing was changed.";
        if (!isTold || !isEnglish || !isUnchanged) missed.push({ name, says: String(says), told });
      }
      expect(missed).toEqual([]);
      expect(await countRows()).toEqual(before);
      expect(badFiles.length).toBeGreaterThanOrEqual(40);
    });
  });
}

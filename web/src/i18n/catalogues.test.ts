import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import i18next from "i18next";
import { areas } from "./areas.ts";
import { en } from "./en.ts";
import { helpKey, labelKeys } from "./kind-keys.ts";
import serverMessages from "@tollgate/contract/words/server-messages.en.json" with { type: "json" };
import { openMessages } from "@tollgate/contract/words/server-messages.ts";
import chineseMessages from "./zh/server.json" with { type: "json" };
import quotedTexts from "./quoted-texts.json" with { type: "json" };
import { zh } from "./zh.ts";

const top = join(import.meta.dir, "../../..");

type Catalogue = { readonly [name: string]: Catalogue | string };

/**
 * Turns a catalogue into a map from key to text: `area.name`, or `area.list.kind.name` for the
 * texts of a kind.
 */
function flatten(catalogue: Catalogue): Map<string, string> {
  return new Map(
    Object.entries(catalogue).flatMap(([name, texts]): [string, string][] =>
      typeof texts === "string"
        ? [[name, texts]]
        : [...flatten(texts)].map(([key, text]) => [`${name}.${key}`, text]),
    ),
  );
}

const chinese = flatten({ ...zh, ...(await textsOf("zh")) });
const english = flatten({ ...en, ...(await textsOf("en")) });

/** Reads the texts of all areas in one language. */
async function textsOf(language: "en" | "zh"): Promise<Catalogue> {
  const texts: Record<string, Catalogue> = {};
  for (const [area, load] of Object.entries(areas)) texts[area] = (await load[language]()).default;
  return texts;
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name).toSorted();
}

function sources(pattern: string): { path: string; text: string }[] {
  return [...new Bun.Glob(pattern).scanSync(top)]
    .filter((path) => !/node_modules|\.test\.tsx?$|\/testing\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(top, path), "utf8") }));
}

/** The end of an English text's key that is used when the count is one. */
const singular = /_one$/;

/** Texts whose count is a constant above one. */
const constantCounts = new Set(["account.digits", "entry.digits", "playground.pictureCount"]);

describe("the two languages", () => {
  test("have the same keys", () => {
    expect([...chinese.keys()].filter((key) => !english.has(key))).toEqual([]);
    const own = [...english.keys()].filter((key) => !chinese.has(key.replace(singular, "")));
    expect(own).toEqual([]);
  });

  test("have the same placeholders in each text", () => {
    const odd = [...chinese].filter(
      ([key, text]) => !Bun.deepEquals(placeholders(text), placeholders(english.get(key) ?? "")),
    );
    expect(odd.map(([key]) => key)).toEqual([]);
  });

  test("leave no text empty, and English none in Chinese", () => {
    const empty = [...chinese, ...english].filter(([, text]) => text.trim() === "");
    expect(empty.map(([key]) => key)).toEqual([]);
    // No English text may contain Chinese characters. The names of languages, each in its own
    // language, are in `t.ts` and not in the catalogues.
    const foreign = [...english].filter(([, text]) => /[\u4e00-\u9fff]/.test(text));
    expect(foreign.map(([key]) => key)).toEqual([]);
  });
});

// A list of one thing must not read "1 API keys created".
describe("a text with a count", () => {
  test("has words for one thing, too", () => {
    const plural = /\{\{(?:count|shown)\}\}(?: (?!more\b)[\w-]+){0,2} (?:[A-Za-z-]+s|stay)\b/;
    const missing = [...english].filter(
      ([key, text]) =>
        plural.test(text) &&
        !singular.test(key) &&
        !constantCounts.has(key) &&
        !english.has(`${key}_one`),
    );
    expect(missing).toEqual([]);
  });

  test("says them with the values of the other words, and not in the plural", () => {
    const ones = [...english].filter(([key]) => singular.test(key));
    expect(ones).not.toBeEmpty();
    for (const [key, text] of ones) {
      const others = placeholders(english.get(key.replace(singular, "")) ?? "");
      expect(
        placeholders(text).filter((name) => !others.includes(name)),
        key,
      ).toEqual([]);
      expect(text).not.toMatch(/\{\{(?:count|shown)\}\} (?:[\w-]+ )?[a-z]+s\b(?! (?:is|was|has))/i);
    }
  });

  test("is the singular for one and the plural for every other number", async () => {
    const library = i18next.createInstance();
    await library.init({ lng: "en", resources: { en: { translation: en } } });
    const said = [0, 1, 2].map((count) => library.t("ui.tableFound", { count }));
    expect(said).toEqual(["0 rows", "1 row", "2 rows"]);
  });
});

// The specification's words are the contract; the other language says them in its own.
describe("a text that the specification quotes", () => {
  test("stands verbatim in the language in which it is quoted", () => {
    const wrong = quotedTexts.flatMap(({ rows, language, text, keys }) =>
      keys
        .filter((key) => !(language === "en" ? english : chinese).get(key)?.includes(text))
        .map((key) => `${rows.join(", ")}: ${key} must say “${text}”`),
    );
    expect(wrong).toEqual([]);
    expect(quotedTexts.flatMap(({ keys }) => keys)).not.toBeEmpty();
  });

  test("is a sentence of its own in the other language", () => {
    const same = quotedTexts.flatMap(({ language, text, keys }) =>
      keys.filter((key) => (language === "en" ? chinese : english).get(key)?.includes(text)),
    );
    expect(same).toEqual([]);
  });
});

/**
 * Texts that the specification requires for fields that neither the API nor the console has yet, so
 * they are unused.
 */
const withoutField = {
  "users.concurrencyInvalid": "Invalid user individual concurrency limit data",
};

// The texts use one word for one thing. Chinese sentences that the specification prescribes are
// kept as they are.
describe("the words", () => {
  const refused: Readonly<
    Record<"en" | "zh", readonly (readonly [word: RegExp, instead: string])[]>
  > = {
    en: [
      [/two-step/i, "2FA"],
      [/e-mail|(^|[^e])\bmail address/i, "email"],
      [/set-up/i, "setup"],
      [
        /present password|password again|repeat the password/i,
        "current password, confirm password",
      ],
      [/\b(bound|unbind|binding) (account|name|by)/i, "connected, disconnect"],
      [/\btutorial\b/i, "docs"],
      [/\bby hand\b/i, "manually"],
      [/\bpurse\b/i, "earnings"],
      [/\b(a|per|of) (relay )?tokens? (that|which) (begins|starts) with sk-/i, "API key"],
      [/\b(New|Edit|Delete|Enable) token\b/, "API key"],
      [/!$/, "a sentence without an exclamation mark"],
    ],
    zh: [
      [/您/, "你"],
      [/账号|帐号|帐户/, "账户"],
      [/花费|消耗/, "费用"],
      [/双因素|双重验证|2FA/, "两步验证"],
    ],
  };
  const quoted = quotedTexts.flatMap(({ keys }) => keys);
  const kept = new Set(["entry.defaultPassword", "entry.defaultPasswordBody", ...quoted]);

  for (const [language, texts] of [
    ["en", english],
    ["zh", chinese],
  ] as const) {
    test(`of the ${language} texts are the same everywhere`, () => {
      const found = [...texts].flatMap(([key, text]) =>
        kept.has(key)
          ? []
          : refused[language]
              .filter(([word]) => word.test(text))
              .map(([, instead]) => `${key}: “${text}”: say ${instead}`),
      );
      expect(found).toEqual([]);
    });
  }
});

test("A-448: texts whose field does not exist yet are there in both languages", () => {
  for (const [key, text] of Object.entries(withoutField)) {
    expect([english.get(key), chinese.has(key)], key).toEqual([text, true]);
  }
});

describe("keys in the sources", () => {
  const code = sources("web/src/**/*.{ts,tsx}").filter(({ path }) => !path.includes("/i18n/"));

  test("each text is used somewhere", () => {
    const used = new Set(
      code.flatMap(({ text }) => [...text.matchAll(/"(\w+\.\w+)"/g)].map(([, key = ""]) => key)),
    );
    expect(used.size).toBeGreaterThan(0);
    const byRule = new Set(labelKeys.flatMap((key) => [key, helpKey(key)]));
    const unused = [...chinese.keys()].filter((key) => !used.has(key) && !byRule.has(key));
    expect(unused).toEqual(Object.keys(withoutField));
  });

  test("every option, every kind and every field of one has a label", () => {
    expect(labelKeys.length).toBeGreaterThan(0);
    expect(labelKeys.filter((key) => !chinese.has(key) || !english.has(key))).toEqual([]);
  });

  // A key that is put together at run time is checked neither by the compiler nor by the test
  // above.
  test("no key is put together at run time", () => {
    const computed = code.flatMap(({ path, text }) =>
      [...text.matchAll(/\bt\(\s*(`[^`]*\$\{|"[^"]*"\s*\+)/g)].map(([call]) => `${path}: ${call}`),
    );
    expect(computed).toEqual([]);
  });
});

describe("the server's messages (A-449)", () => {
  const translate = openMessages(serverMessages);

  test("all have an English translation", () => {
    const said = [...sources("server/src/**/*.ts"), ...sources("contract/src/**/*.ts")]
      // A migration reads what rows say; it says nothing.
      .filter(({ path }) => !path.includes("/db/migrations/"))
      .flatMap(({ text }) => chineseTexts(text));
    expect(said).not.toBeEmpty();
    const missing = said.filter((text) => !(text in serverMessages));
    expect([...new Set(missing)]).toEqual([]);
    const gone = Object.keys(serverMessages).filter((text) => !said.includes(text));
    expect(gone, "no longer said by the server").toEqual([]);
  });

  test("a translation uses the values of its message, and has no Chinese", () => {
    for (const [message, translation] of Object.entries(serverMessages)) {
      const given = new Set(placeholders(message));
      expect(
        placeholders(translation.replaceAll("{{quota", "{{")).filter((name) => !given.has(name)),
        message,
      ).toEqual([]);
      expect(translation).not.toMatch(/[\u4e00-\u9fff]/);
    }
  });

  test("values are put into the translation, and translated if they are messages", () => {
    expect(translate("用户不存在")).toBe("This user does not exist");
    expect(translate("令牌数量已达上限 1000")).toBe("The limit of API keys is reached: 1000");
    expect(translate("SystemName：系统名称不能为空")).toBe(
      "SystemName: The system name cannot be empty",
    );
    expect(translate("IP 白名单不能超过 100 项")).toBe(
      "The IP allow-list may have at most 100 entries",
    );
    expect(translate("模型倍率 1，补全倍率 2，分组倍率 1，用量由网关统计")).toBe(
      "Model ratio 1, completion ratio 2, group ratio 1, usage counted by the gateway",
    );
    expect(translate("输入不合法 密码长度必须在 8-128 之间")).toBe(
      "The password must have 8 to 128 characters",
    );
  });

  test("what the server says in English has Chinese words too (A-434)", () => {
    const inChinese = openMessages(chineseMessages);
    expect(Object.keys(chineseMessages).filter((text) => !(text in serverMessages))).toEqual([
      "Your group is not authorized to use this model",
    ]);
    for (const translation of Object.values(chineseMessages)) {
      expect(translation.replaceAll(/\{\{\w+\}\}|max_tokens/g, "")).not.toMatch(/[a-z]{3}/i);
    }
    expect(inChinese("Your group is not authorized to use this model")).toBe(
      "当前分组无权使用此模型",
    );
    const dollars = (quota: number) => `$${quota / 500_000}`;
    const poor = "user quota is not enough, 用户剩余额度: 5, 需要预扣费额度: 500000";
    expect(inChinese(poor, dollars)).toBe("用户额度不足，剩余额度：$0.00001，需要预扣费额度：$1");
  });

  test("a value may repeat the message's own words", () => {
    expect(translate("当前分组 a 下对于模型 b 无可用渠道 下对于模型 c 无可用渠道")).toBe(
      "Group a has no available channel for model b 无可用渠道 下对于模型 c",
    );
  });

  test("amounts of a message are shown as the console shows amounts", () => {
    const dollars = (quota: number) => `$${quota / 500_000}`;
    expect(translate("邀请用户赠送 600000", dollars)).toBe("Reward for an invitation: $1.2");
    const adjusted = "管理员将用户额度从 0修改为 500000：补偿 7 月故障";
    expect(translate(adjusted, dollars)).toContain("from $0 to $1");
    expect(openMessages(chineseMessages)(adjusted, dollars)).toBe(
      "管理员将用户额度从 $0 修改为 $1：补偿 7 月故障",
    );
    expect(translate("新用户注册赠送 5")).toBe("Gift to a new user: 5");
  });

  test("an unknown message stays as it is", () => {
    expect(translate("upstream said no")).toBeUndefined();
    expect(translate("")).toBeUndefined();
  });
});

/**
 * Finds the Chinese string literals in a source file, without comments; each inserted value is
 * written as `{{1}}`, `{{2}}` and so on.
 */
function chineseTexts(code: string): string[] {
  const parts =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return [...code.matchAll(parts)]
    .map(([part]) => part)
    .filter((part) => !part.startsWith("/") && /[\u4e00-\u9fff]/.test(part))
    .map((part) => {
      let count = 0;
      return part
        .slice(1, -1)
        .replaceAll(/\$\{([^{}]|\{[^{}]*\})*\}/g, () => `{{${(count += 1)}}}`);
    });
}

test("an amount in a message of the server is never a raw number, in either language", () => {
  const amounts = /\{\{quota\d\}\}/g;
  const shown: Readonly<Record<string, string>> = chineseMessages;
  const raw = Object.entries(serverMessages).filter(
    ([message, text]) =>
      (text.match(amounts) ?? []).toSorted().join() !==
      (shown[message]?.match(amounts) ?? []).toSorted().join(),
  );
  expect(raw).toEqual([]);
  const show = openMessages(chineseMessages);
  const dollars = (quota: number) => `$${quota / 500_000}`;
  expect(show("划转失败 转移额度最小为500000！", dollars)).toBe("划转金额最低为$1");
  expect(show("提现额度不能小于 1000", dollars)).toBe("提现额度不能小于 $0.002");
  expect(openMessages(serverMessages)("异步任务执行失败 T1，补偿 40000", dollars)).toBe(
    "Task T1 failed; $0.08 refunded",
  );
});

import { describe, expect, test } from "bun:test";
import { priceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import {
  isOptionName,
  type OptionName,
  optionSections,
  options,
  parseOption,
  showOption,
} from "./options.ts";
import { unlistedOptions } from "./options-system.ts";
import {
  parseDecimal,
  parseDecimalMap,
  showDecimalMap,
} from "@tollgate/contract/endpoints/prices.ts";

const names = Object.keys(options).filter(isOptionName);

test("every default is in range and comes back from its text as it was", () => {
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const text = showAny(name, options[name].defaultValue);
    expect([name, parseOption(name, text)]).toEqual([
      name,
      { ok: true, value: options[name].defaultValue },
    ]);
  }
});

test("every option has one place on the settings screen, or is known to have none", () => {
  const placed = optionSections.flatMap(({ keys }) => keys);

  expect([...placed, ...Object.keys(unlistedOptions)].toSorted()).toEqual(names);
  expect(new Set(optionSections.map(({ name }) => name)).size).toBe(optionSections.length);
});

// Pages send flags and numbers as JSON values or as texts.
test("a value means the same as text, number or flag", () => {
  for (const sent of [3, "3", " 3 ", "3.0", "0.3e1"]) {
    expect(parseOption("RetryTimes", sent)).toEqual({ ok: true, value: 3 });
  }
  expect(parseOption("DisplayInCurrencyEnabled", false)).toEqual({ ok: true, value: false });
  expect(parseOption("DisplayInCurrencyEnabled", "false")).toEqual({ ok: true, value: false });
  expect(parseOption("QuotaPerUnit", 500_000)).toEqual({ ok: true, value: "500000" });
});

describe("P-O6: what is out of range becomes no value, and the message names the option", () => {
  const refused: readonly [OptionName, string | number | boolean][] = [
    ["RetryTimes", "11"],
    ["RetryTimes", "-1"],
    ["RetryTimes", "1.5"],
    ["RetryTimes", ""],
    ["RetryTimes", "NaN"],
    ["RetryTimes", true],
    ["DisplayInCurrencyEnabled", "yes"],
    ["RelayBodyMegabytesMax", 129],
    ["TokensPerUserMax", 10_001],
    ["TokensPerUserMax", 0],
    ["ChannelDisableThreshold", "Infinity"],
    ["QuotaForNewUser", 2 ** 53],
    ["QuotaPerUnit", "0"],
    ["QuotaPerUnit", -1],
    ["SystemName", "  "],
    ["Logo", "javascript:alert(1)"],
    ["Logo", "//elsewhere.example"],
    // The option `Logo` is refused, because browsers block pictures over plain HTTP in a page that
    // came over HTTPS.
    ["Logo", "http://img.example/l.png"],
    ["WeChatAccountQRCodeImageURL", "http://img.example/qr.png"],
    ["ServerAddress", "https://user@gateway.example"],
    ["ServerAddress", "gateway.example"],
    // These separate the fields of what payment processors sign, which may read escapes first.
    ["ServerAddress", "https://gateway.example/a&b"],
    ["ServerAddress", "https://gateway.example%26"],
    ["ServerAddress", "https://gateway.example/a%3db"],
    ["ServerAddress", "https://gateway.example/a%3Db"],
    ["ServerAddress", "https://gateway.example/a%23b"],
    ["GroupRatio", "{"],
    ["GroupRatio", "[]"],
    // A list without `default`, the group of new users and visitors, is refused.
    ["GroupRatio", '{"vip":1}'],
    ["GroupRatio", '{"a,b":1}'],
    ["GroupRatio", '{"vip":-1}'],
    ["ModelRatio", '{"gpt-4o":null}'],
    ["ModelRatio", '{"__proto__":1}'],
    ["UserUsableGroups", '{"default":1}'],
    ["LogConsumeEnabled", "false"],
    ["DataExportInterval", "0"],
    ["DataExportDefaultTime", "year"],
    ["MinTopUp", "0"],
    // What users pay for a top-up is above 0; prices of models may be 0.
    ["Price", "0"],
    ["Price", "-1"],
    ["StripeUnitPrice", "0"],
    ["StripeUnitPrice", "-0.01"],
    ["StripeCurrency", "USD"],
    ["StripeCurrency", "xyz"],
    ["TopupGroupRatio", "{"],
    ["TopupGroupRatio", '{"default":0}'],
    ["TopupGroupRatio", '{"default":1,"vip":-1}'],
    ["TopupDiscount", '{"10":0}'],
    ["TopupDiscount", '{"10":-0.5}'],
    ["TopupDiscount", '{"10":1.01}'],
    ["TopupDiscount", '{"0":0.9}'],
    ["SMTPPort", "65536"],
    ["SMTPServer", "https://mail.example"],
    ["SMTPFrom", "a@b.example\nBcc: c@d.example"],
    ["SMTPFrom", "a@b.example, c@d.example"],
    ["EmailDomainWhitelist", "example.com,not a domain"],
    ["TopUpLink", "javascript:alert(1)"],
    ["oidc.token_endpoint", "https://user:word@login.example/token"],
    ["Notice", "a\0b"],
    ["Chats", "["],
    ["Chats", '{"a":"https://a.example"}'],
    ["Chats", '[{"a":"javascript:alert(1)"}]'],
    ["Chats", '[{"a":"https://a.example","b":"https://b.example"}]'],
    ["claude.default_max_tokens", '{"m":8192}'],
    ["claude.model_headers_settings", '{"m":{"x-a b":["1"]}}'],
    ["claude.model_headers_settings", '{"__proto__":{}}'],
    ["gemini.version_settings", '{"default":"../v1"}'],
  ];
  for (const [name, sent] of refused) {
    test(`${name} = ${JSON.stringify(sent)}`, () => {
      const parsed = parseOption(name, sent);
      expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(name) });
    });
  }
});

test("lists are kept without what is empty, domains in small letters", () => {
  expect(parseOption("EmailDomainWhitelist", " QQ.com, ,163.com,")).toEqual({
    ok: true,
    value: ["qq.com", "163.com"],
  });
  expect(showOption("EmailDomainWhitelist", ["qq.com", "163.com"])).toBe("qq.com,163.com");
});

test("A-348: chat links are a list of one name and address each, also of programs", () => {
  const chats = [{ Web: "https://c.example/#/?k={key}" }, { App: "app://add?u={address}" }];

  expect(parseOption("Chats", JSON.stringify(chats))).toEqual({ ok: true, value: chats });
  expect(JSON.parse(showOption("Chats", chats))).toEqual(chats);
});

test("a server's address is kept without its final slash", () => {
  expect(parseOption("ServerAddress", " https://gateway.example/ ")).toEqual({
    ok: true,
    value: "https://gateway.example",
  });
});

describe("decimals", () => {
  test("keep every digit, however they are written", () => {
    const cases = {
      "0.1": "0.1",
      "1.50": "1.5",
      "007": "7",
      "15e-1": "1.5",
      "1E3": "1000",
      "1e-12": "0.000000000001",
      "123456789012345.123456789012": "123456789012345.123456789012",
      "-0": "0",
      "0.000": "0",
    };
    for (const [text, value] of Object.entries(cases)) {
      expect([text, parseDecimal(text)]).toEqual([text, { ok: true, value }]);
    }
  });

  test("are refused below 0, beyond 12 places or 15 digits, and when they are no numbers", () => {
    for (const text of ["-1", "-0.1", "1e-13", "1e15", "1e999", "abc", "", "0x10", ".5", "1,5"]) {
      expect([text, parseDecimal(text).ok]).toEqual([text, false]);
    }
  });

  // `JSON.parse` would turn these decimals into floats.
  test("of a map are read from the digits of its JSON", () => {
    const map = parseDecimalMap('{"a": 0.1000000000001, "b\\"}": "2.50", "c,d": 1e-3}');

    expect(map).toMatchObject({ ok: false }); // 13 decimal places are too many
    expect(parseDecimalMap('{"a": 0.123456789012, "b\\"}": "2.50", "c,d": 1e-3}')).toEqual({
      ok: true,
      value: { a: "0.123456789012", 'b"}': "2.5", "c,d": "0.001" },
    });
  });

  test("of a map are shown as JSON numbers with every digit", () => {
    const map = { "gpt-4o": "1.25", 'quo"te': "0.123456789012" };

    expect(showDecimalMap(map)).toBe('{\n  "gpt-4o": 1.25,\n  "quo\\"te": 0.123456789012\n}');
    expect(parseDecimalMap(showDecimalMap(map))).toEqual({ ok: true, value: map });
    expect(showDecimalMap({})).toBe("{}");
  });

  // JSON that repeats a name is refused: two programs could read different values, and bill by
  // different prices.
  test("P-I6: a map that contains a name twice is refused", () => {
    expect(parseDecimalMap('{"a": 1, "\\u0061": 2}')).toEqual({
      ok: false,
      message: "重复的名称：a",
    });
  });
});

test("the default list is a price list, and every model in it has a price for every group", () => {
  expect(priceList.parse(defaultPriceList)).toEqual(defaultPriceList);
  const { ModelRatio, ModelPrice, GroupRatio } = defaultPriceList;
  for (const model of [...Object.keys(ModelRatio), ...Object.keys(ModelPrice)]) {
    for (const group of Object.keys(GroupRatio)) {
      expect([model, unitPrice(defaultPriceList, model, group)?.kind]).toEqual([
        model,
        Object.hasOwn(ModelPrice, model) ? "call" : "tokens",
      ]);
    }
  }
});

/** Calls `showOption` with a name that is only known at run time. */
function showAny(name: OptionName, value: unknown): string {
  return showOption(name, value as never);
}

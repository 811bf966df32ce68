import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { setLanguage, t } from "#i18n/t.ts";
import { type ModelForm, modelForm, modelSchema } from "./model-form.ts";

await setLanguage("zh");

function read(form: Partial<ModelForm>) {
  const typed = { ...modelForm({ model: "m", prices: {} }), ...form };
  const parsed = modelSchema(t, new Set(["taken"])).safeParse(typed);
  if (parsed.success) return { value: parsed.data };
  return {
    errors: Object.fromEntries(parsed.error.issues.map((issue) => [issue.path[0], issue.message])),
  };
}

test("A-217: a model that has prices already is refused; another spelling in case is another model", () => {
  expect(read({ model: " taken ", ModelRatio: "1" })).toEqual({
    errors: { model: "模型名称已存在" },
  });
  expect(read({ model: "Taken", ModelRatio: "1" })).toHaveProperty("value.model", "Taken");
});

test("A-220, A-221: letters are not a number, −1 is too small, 0 is a price", () => {
  expect(read({ ModelRatio: "abc" })).toEqual({ errors: { ModelRatio: "请输入数字" } });
  expect(read({ ModelPrice: "-1" })).toEqual({ errors: { ModelPrice: "不能小于 0" } });
  expect(read({ ModelPrice: "0" })).toEqual({ value: { model: "m", prices: { ModelPrice: "0" } } });
  expect(read({ ModelRatio: "0.10" })).toEqual({
    value: { model: "m", prices: { ModelRatio: "0.1" } },
  });
});

test("A-218, A-219: with a fixed price the ratios are ignored, valid or not", () => {
  expect(read({ ModelPrice: "0.5", ModelRatio: "abc", CacheRatio: "2" })).toEqual({
    value: { model: "m", prices: { ModelPrice: "0.5" } },
  });
});

test("a model without any price is refused", () => {
  expect(read({ CompletionRatio: "2" })).toEqual({
    errors: { ModelRatio: "请填写固定价格或模型倍率" },
  });
  expect(read({ model: "", ModelRatio: "1" })).toEqual({ errors: { model: "请输入模型名称" } });
  expect(read({ model: "__proto__", ModelRatio: "1" })).toEqual({
    errors: { model: "名称不可用" },
  });
});

test("T25: service tiers are JSON with a factor above 0 for each", () => {
  const tiers = (Tiers: string) => read({ ModelRatio: "1", Tiers });
  expect(tiers('{"priority": {"ratio": 2, "completion": 1.50}}')).toEqual({
    value: {
      model: "m",
      prices: {
        ModelRatio: "1",
        Tiers: '{"priority":{"ratio":"2","cache":"2","completion":"1.5"}}',
      },
    },
  });
  const wrong = (text: string, message: string) =>
    expect(tiers(text)).toEqual({ errors: { Tiers: message } });
  wrong("2", "至少要设置一个服务等级：batch、fast、flex、priority、scale、ultrafast");
  wrong("{", "不是合法的 JSON 字符串");
  wrong('{"flex": {"ratio": 0}}', "flex 的 ratio 必须大于 0，不超过 1000，小数最多 12 位");
  expect(read({ ModelPrice: "1", Tiers: "x" })).toEqual({
    value: { model: "m", prices: { ModelPrice: "1" } },
  });
});

test("T33: steps, hours, searches and kinds are JSON, each with its own rules", () => {
  const typed = (form: Partial<ModelForm>) => read({ ModelRatio: "1", ...form });
  expect(
    typed({
      LongAbove: "5",
      LongRatio: "2",
      LongCache: "3",
      LongFurther: '[{"above": 9, "ratio": 4}]',
      Hours: '[{"from": "16:30", "until": "00:30", "ratio": 0.5}]',
      Searches: '{"search": 10}',
      Kinds: '{"reasoning": "0.10"}',
    }),
  ).toEqual({
    value: {
      model: "m",
      prices: {
        ModelRatio: "1",
        LongAbove: "5",
        LongRatio: "2",
        LongCompletion: "1",
        LongCache: "3",
        LongFurther: '[{"above":9,"ratio":"4","completion":"1"}]',
        Hours: '[{"from":"16:30","until":"00:30","ratio":"0.5","cache":"0.5","completion":"0.5"}]',
        Searches: '{"search":"10"}',
        Kinds: '{"reasoning":"0.1"}',
      },
    },
  });
  expect(typed({ LongAbove: "9", LongRatio: "2", LongFurther: '[{"above": 9}]' })).toEqual({
    errors: { LongFurther: "further 的每个档位的 above 必须大于前一个档位" },
  });
  expect(typed({ LongFurther: "[" })).toEqual({
    errors: { LongFurther: "不是合法的 JSON 字符串" },
  });
  expect(typed({ Hours: "[]" })).toEqual({ errors: { Hours: "必须是 1 到 12 个时段的数组" } });
  expect(typed({ Searches: '{"search": -1}' })).toEqual({
    errors: { Searches: "search：不能小于 0：-1" },
  });
});

test("T25: long prompts need a number of tokens and a factor above 0", () => {
  const long = (LongAbove: string, LongRatio: string, LongCompletion = "") =>
    read({ ModelRatio: "1", LongAbove, LongRatio, LongCompletion });
  expect(long("200,000", "2.0")).toEqual({
    value: {
      model: "m",
      prices: { ModelRatio: "1", LongAbove: "200000", LongRatio: "2", LongCompletion: "1" },
    },
  });
  expect(long("", "2")).toEqual({ errors: { LongAbove: "请填写从多少 Token 起算长上下文" } });
  expect(long("200000", "")).toEqual({ errors: { LongRatio: "请填写至少一个系数" } });
  expect(long("0.5", "0")).toEqual({
    errors: {
      LongAbove: "必须是 1 到 10,000,000 之间的整数",
      LongRatio: "必须大于 0，不超过 1000，小数最多 12 位",
    },
  });
  expect(read({ ModelPrice: "1", LongAbove: "x" })).toEqual({
    value: { model: "m", prices: { ModelPrice: "1" } },
  });
});

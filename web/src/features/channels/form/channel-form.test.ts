import { expect, test } from "bun:test";
import { channelSetting } from "@tollgate/contract/fields/channel-fields.ts";
import type { Channel } from "@tollgate/contract/endpoints/channels.ts";
import type { T } from "#i18n/t.ts";
import {
  channelFormSchema,
  type ChannelForm,
  type ChannelType,
  copyOf,
  emptyForm,
  formOf,
  isSameRecord,
} from "./channel-form.ts";
import { settingNotes } from "./channel-setting.ts";

/** Replaces the translation function: returns a text's key in place of the text. */
const t = ((key: string) => key) as unknown as T; // safe cast: the form only calls `t`

const openai: ChannelType = {
  type: 1,
  label: "OpenAI",
  base_url: "https://api.openai.com",
  base_url_form: null,
  key_form: "API key",
  other_form: null,
  testable: true,
  tells_balance: true,
  lists_models: true,
  models: ["gpt-4o"],
  wires: ["openai-chat"],
};
const custom: ChannelType = { ...openai, type: 8, label: "Custom", base_url: null };

const channel: Channel = {
  id: 7,
  type: 1,
  key: "",
  key_count: 1,
  key_hints: ["sk-a••••wxyz"],
  openai_organization: "org",
  test_model: "gpt-4o",
  status: 2,
  name: "main",
  weight: 3,
  priority: -5,
  created_time: 1,
  test_time: 1,
  response_time: 1,
  test_error: "",
  base_url: "",
  other: "",
  balance: 5,
  balance_updated_time: 1,
  models: "gpt-4o,o3",
  group: "default,vip",
  used_quota: 9,
  model_mapping: '{"a":"b"}',
  status_code_mapping: "",
  auto_ban: 0,
  other_info: "",
  tag: null,
  setting: '{"wire":"openai-chat","connectMs":900}',
  param_override: "",
};

const filled: ChannelForm = {
  ...emptyForm,
  type: 1,
  name: "main",
  key: "sk-one",
  models: ["gpt-4o"],
};

function read(change: Partial<ChannelForm>, isNew = true) {
  const schema = channelFormSchema({ t, types: [openai, custom], isNew });
  const parsed = schema.safeParse({ ...filled, ...change });
  return parsed.success
    ? { value: parsed.data }
    : Object.fromEntries(parsed.error.issues.map(({ path, message }) => [path[0], message]));
}

test("O-131 to O-134: a missing value is reported at its field", () => {
  expect(read({ type: 0, name: " ", key: "\n", models: [], groups: [] })).toEqual({
    type: "channels.typeRequired",
    name: "channels.nameAndKeyRequired",
    key: "channels.nameAndKeyRequired",
    models: "channels.modelsRequired",
    groups: "channels.groupsRequired",
  });
});

test("O-135: an edit without a key keeps the present key", () => {
  expect(read({ key: "" }, false)).toMatchObject({ value: { key: "" } });
});

test("O-137 O-138: each line is a key, of a channel each or of one channel; a JSON document is one key", () => {
  const lines = "sk-one\n\n sk-two \nsk-one";
  expect(read({ key: lines })).toMatchObject({ value: { key: "sk-one\nsk-two" } });
  expect(read({ key: lines, keyUse: "keys" })).toMatchObject({
    value: { keys: ["sk-one", "sk-two"] },
  });
  const document = '{\n "type": "service_account"\n}';
  expect(read({ key: document })).toMatchObject({ value: { key: document } });
  expect(read({ key: 'sk-one\n{"client_email": "a"' })).toEqual({ key: "channels.keysBroken" });
});

test("O-139 O-140: a type without a base URL needs one, and it must be valid", () => {
  expect(read({ type: 8 })).toEqual({ base_url: "channels.baseUrlRequired" });
  expect(read({ base_url: "api.openai.com" })).toEqual({ base_url: "channels.baseUrlInvalid" });
  expect(read({ type: 8, base_url: "https://h/{model}" })).toHaveProperty("value");
});

test("O-147 O-171: a channel of Vertex AI needs a region, or regions by model with a default", () => {
  expect(read({ type: 41 })).toEqual({ other: "channels.regionMissing" });
  expect(read({ type: 41, other: '{"m":"us-east5"}' })).toEqual({
    other: "channels.regionNoDefault",
  });
  expect(read({ type: 41, other: "{" })).toEqual({ other: "channels.regionMalformed" });
  expect(read({ type: 41, other: "us-east5" })).toHaveProperty("value");
  expect(read({ type: 41, other: '{"default":"global"}' })).toHaveProperty("value");
  expect(read({ type: 41, base_url: "https://private.example" })).toHaveProperty("value");
  expect(read({ type: 1 })).toHaveProperty("value");
});

test("O-148 O-149 O-152: priority and weight are whole numbers", () => {
  expect(read({ priority: 1.5, weight: 0.5 })).toEqual({
    priority: "channels.priorityInvalid",
    weight: "channels.weightInvalid",
  });
  expect(read({ priority: null, weight: -5 })).toMatchObject({
    value: { priority: 0, weight: -5 },
  });
});

test("O-154: broken JSON is refused before anything is sent", () => {
  expect(read({ model_mapping: "{", status_code_mapping: '{"400":"x"}' })).toEqual({
    model_mapping: "channels.mappingInvalid",
    status_code_mapping: "channels.statusCodesInvalid",
  });
  expect(read({ param_override: '{"model":"x"}' })).toEqual({
    param_override: "channels.overrideInvalid",
  });
});

test("limits out of range and texts too long are refused before they are sent", () => {
  expect(read({ connectMs: 5, name: "x".repeat(101) })).toEqual({
    connectMs: "channels.timeLimitInvalid",
    name: "channels.fieldInvalid",
  });
});

test("an edit that changes nothing sends the present values", () => {
  const schema = channelFormSchema({ t, types: [openai], isNew: false });
  expect(schema.parse(formOf(channel))).toMatchObject({
    type: 1,
    name: "main",
    key: "",
    models: "gpt-4o,o3",
    group: "default,vip",
    priority: -5,
    weight: 3,
    auto_ban: false,
    model_mapping: '{"a":"b"}',
    setting: '{"wire":"openai-chat","connectMs":900}',
    tag: "",
  });
});

test("an edit keeps the settings that have no control, also unknown ones, and names them", () => {
  const setting = '{"region":"eu","affinity":{"by":"user"},"usage_trust":"visible"}';
  const schema = channelFormSchema({ t, types: [openai], isNew: false });
  const form = formOf({ ...channel, setting });
  expect(JSON.parse(schema.parse({ ...form, connectMs: 700 }).setting ?? "")).toEqual({
    ...JSON.parse(setting),
    connectMs: 700,
  });
  expect(settingNotes(form.other_settings, t)).toEqual(["channels.settingUnknown"]);
  expect(settingNotes('{"usage_trust":"visible","force_format":false}', t)).toEqual([]);
  expect(settingNotes("{", t)).toEqual([]);
});

test("every known setting has a control that keeps its value, and refuses an invalid one at its place", () => {
  const setting = {
    wire: "openai-chat",
    system_prompt: "Be brief.",
    proxy: "http://user:secret@proxy.test:3128",
    header_override: { "x-team": "a" },
    usage_trust: "visible",
    force_format: true,
    thinking_to_content: true,
    reasoning_field: "none",
    shares_ids: true,
    stream_results: true,
    conversations: "off",
    cache_marks: true,
    key_limits: { calls: 10, requests: 60, tokens: 9_000 },
    connectMs: 900,
    firstByteMs: 901,
    betweenChunksMs: 902,
    totalMs: 903,
  };
  expect(Object.keys(setting).toSorted()).toEqual(Object.keys(channelSetting.shape).toSorted());
  const form = formOf({ ...channel, setting: JSON.stringify(setting) });
  expect(form.other_settings).toBe("");
  const sent = channelFormSchema({ t, types: [openai], isNew: false }).parse(form);
  expect(JSON.parse(sent.setting ?? "")).toEqual(setting);
  expect(read({ proxy: "ftp://x" })).toEqual({ proxy: "channels.proxyInvalid" });
  expect(read({ key_calls: -1 })).toEqual({ key_calls: "channels.keyLimitInvalid" });
  for (const header_override of ["{", '{"host":"a"}', '{"x":1}']) {
    expect(read({ header_override })).toEqual({ header_override: "channels.headersInvalid" });
  }
  expect(read({ system_prompt: "a".repeat(16_001) })).toEqual({
    system_prompt: "channels.systemPromptLong",
  });
});

test("other settings must be valid JSON, without what has a control", () => {
  for (const broken of ["{", "[]", "7"]) {
    expect(read({ other_settings: broken })).toEqual({
      other_settings: "channels.otherSettingsInvalid",
    });
  }
  expect(read({ other_settings: '{"connectMs":900}' })).toEqual({
    other_settings: "channels.otherSettingsControlled",
  });
});

test("O-214 to O-216: a copy has another name and the source's keys, and no balance", () => {
  const copy = copyOf({ ...channel, name: "n".repeat(100) });
  expect(copy).toMatchObject({ copy_from: 7, models: "gpt-4o,o3", status: 2 });
  expect(copy.name).toBe(`${"n".repeat(97)}_复制`);
  expect(copy).not.toHaveProperty("key");
  expect(copy).not.toHaveProperty("balance");
});

test("a record is stale after an edit elsewhere, not after a test or a call", () => {
  expect(isSameRecord(channel, { ...channel, used_quota: 99, response_time: 5 })).toBe(true);
  expect(isSameRecord(channel, { ...channel, models: "o3" })).toBe(false);
});

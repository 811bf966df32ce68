import { expect, test } from "bun:test";
import { logCountMax, type OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import type { T } from "#i18n/t.ts";
import { mergeNewer, pageOf } from "./live/live-page.ts";
import { liveState } from "./live/live-page.ts";
import { maskKey } from "#ui/copy/mask-key.ts";
import { endingText, sayContent, sayWhy } from "./describe-log.ts";
import { durationTone, firstByteMs, firstByteTone, viewOf } from "./log-view.ts";
import { type LogFilter, sentFilter, showPage } from "./logs.api.ts";
import { logColumns } from "./logs.columns.tsx";
import { defaultRange, logSearch } from "./logs.search.ts";

function rowOf(id: number, part: Partial<OwnLog> = {}): OwnLog {
  return {
    id,
    user_id: 7,
    username: "alice",
    created_at: 1_000 + id,
    type: 2,
    content: "",
    token_id: 1,
    token_name: "laptop",
    model_name: "gpt-4o",
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 1,
    is_stream: true,
    group: "default",
    other: "",
    channel: 0,
    request_id: "",
    usage_source: "",
    seen_output: 0,
    conversation_id: 0,
    placement: "",
    ending: "",
    moved_quota: 0,
    tool_names: [],
    price_version: 0,
    losses: [],
    reversed: false,
    refunded: 0,
    rerated: 0,
    ...part,
  };
}

test("O-398 O-399: an address without times means local midnight to an hour from now", () => {
  const now = new Date(2026, 10, 21, 14, 57, 44);
  const midnight = new Date(2026, 10, 21).getTime() / 1_000;

  const range = defaultRange(now.getTime());

  expect(range).toEqual({ start: midnight, end: now.getTime() / 1_000 + 3_600 });
  const parse = (address: object) => logSearch(range).parse({ size: "20", ...address });
  expect(parse({})).toMatchObject(range);
  expect(parse({ start: "0", end: "17" })).toMatchObject({ start: 0, end: 17 });
  expect(parse({ start: "x", end: "-1" })).toMatchObject(range);
});

test("an invalid value in the address filters nothing, and is never shown", () => {
  const schema = logSearch({ start: 1, end: 2 });
  const parse = (address: object) => schema.parse({ size: "20", ...address });
  const empty = {
    type: "",
    model_name: "",
    token_name: "",
    token_id: "",
    group: "",
    username: "",
    channel: "",
  };
  expect(parse({})).toMatchObject({ ...empty, live: 0 });
  expect(parse({ type: "7", token_id: "a", live: "7" })).toMatchObject({
    ...empty,
    live: 0,
  });
  expect(parse({ type: "5", channel: "12", token_name: "7" })).toMatchObject({
    type: "5",
    channel: "12",
    token_name: "7",
  });
  expect(parse({ usage_source: "upstream+seen" })).toMatchObject({ usage_source: "upstream+seen" });
  expect(parse({ usage_source: "guessed" })).toMatchObject({ usage_source: "" });
  expect(Object.keys(parse({ key: "sk-secret" }))).not.toContain("key");
});

const filter: LogFilter = {
  type: "2",
  model_name: "gpt-4o",
  token_name: "",
  token_id: "",
  group: "vip",
  username: "bob",
  channel: "3",
  usage_source: "upstream+seen",
  conversation_id: "",
  ending: "",
  tag: "",
  request_id: "",
  quotaMin: 0,
  start: 10,
  end: 0,
};

test("O-473 O-481: a user's call carries neither user nor channel; empty filters are left out", () => {
  const own = { type: 2, model_name: "gpt-4o", group: "vip", start_timestamp: 10 };
  expect(sentFilter({ kind: "own" }, filter)).toEqual(own);
  const ofToken = sentFilter({ kind: "own" }, { ...filter, token_id: "-1" });
  expect(ofToken).toEqual({ ...own, token_id: -1 });
  expect<object>(sentFilter({ kind: "all" }, filter)).toEqual({
    ...own,
    username: "bob",
    channel: 3,
  });
  const named = sentFilter({ kind: "all" }, { ...filter, channel: "ma%" });
  expect(named).toMatchObject({ channel_name: "ma%" });
  expect(named).not.toHaveProperty("channel");
});

test("O-448 O-449 O-450: durations are green under 101 s, orange under 300 s, else red", () => {
  expect([0, 100].map(durationTone)).toEqual(["success", "success"]);
  expect([101, 299].map(durationTone)).toEqual(["warning", "warning"]);
  expect([300, 9_000].map(durationTone)).toEqual(["danger", "danger"]);
});

test("O-451 O-452 O-453: first bytes are green under 3 s, orange under 10 s, else red", () => {
  expect([0, 2_999].map(firstByteTone)).toEqual(["success", "success"]);
  expect([3_000, 9_999].map(firstByteTone)).toEqual(["warning", "warning"]);
  expect([10_000].map(firstByteTone)).toEqual(["danger"]);
});

test("O-428: only a stream has a time to the first byte, and only if a byte came", () => {
  const at = (frt: number, is_stream: boolean) =>
    firstByteMs(viewOf(rowOf(1, { is_stream, other: JSON.stringify({ frt }) })));
  expect([at(640, true), at(640, false), at(-1_000, true)]).toEqual([640, undefined, undefined]);
});

test("O-459: a field of a wrong type does not cost the others; invalid JSON is treated as empty", () => {
  const details = (other: string) => viewOf(rowOf(1, { other })).details;
  expect(details('{"frt":5,"cache_tokens":"x","admin_info":{}}')).toEqual({ frt: 5 });
  expect(details("")).toEqual({});
  expect(details("{")).toEqual({});
  expect(details("null")).toEqual({});
});

test("newer rows come on top of the page, are marked and counted, and push the oldest off", () => {
  const first = pageOf({ items: [rowOf(3), rowOf(2), rowOf(1)], total: 30 });
  const second = mergeNewer(first, { items: [rowOf(5), rowOf(4)], total: 2 }, 3);

  expect(second.items.map(({ id, isNew }) => [id, isNew])).toEqual([
    [5, true],
    [4, true],
    [3, false],
  ]);
  expect([second.total, second.newestId]).toEqual([32, 5]);
  const third = mergeNewer(second, { items: [rowOf(6)], total: 1 }, 3);
  expect(third.items.map(({ id, isNew }) => [id, isNew])).toEqual([
    [6, true],
    [5, false],
    [4, false],
  ]);
});

test("known rows are not shown twice, and imported old rows do not come on top", () => {
  const page = pageOf({ items: [rowOf(3), rowOf(2)], total: 2 });
  expect(mergeNewer(page, { items: [rowOf(3)], total: 1 }, 2).items.map(({ id }) => id)).toEqual([
    3, 2,
  ]);
  const imported = mergeNewer(page, { items: [rowOf(9, { created_at: 5 })], total: 400 }, 2);
  expect(imported.items.map(({ id }) => id)).toEqual([3, 2]);
  expect([imported.total, imported.newestId]).toEqual([2, 9]);
});

test("the live tail runs on page 1 of a range that has not ended, while the tab is visible", () => {
  const on = { live: 1, page: 1, end: 0, sort: "" };
  expect(liveState(on, true, 100)).toBe("on");
  expect(liveState(on, false, 100)).toBe("hidden");
  expect(liveState({ ...on, page: 2 }, true, 100)).toBe("page");
  expect(liveState({ ...on, sort: "-quota" }, true, 100)).toBe("page");
  expect(liveState({ ...on, end: 99 }, true, 100)).toBe("ended");
  expect(liveState({ ...on, end: 200 }, true, 100)).toBe("on");
  expect(liveState({ ...on, live: 0 }, true, 100)).toBe("off");
});

test("O-403: a shown key cannot be used", () => {
  expect(maskKey("sk-abcdefghijklmnopqrstuvwxyz0123456789")).toBe("sk-abcd••••6789");
  expect(maskKey("abcdefghij")).toBe("sk-••••");
});

test("a count that stopped at the server's limit is not shown as the whole", () => {
  const page = pageOf({ items: [rowOf(1)], total: logCountMax });
  expect(showPage(page)).toMatchObject({ total: logCountMax, capped: true });
  expect(showPage({ ...page, total: 12 })).toMatchObject({ total: 12, capped: false });
});

/** Replaces the translation function: returns a text's key in place of the text. */
const t = ((key: string) => key) as unknown as T; // safe cast: the columns only call `t`

test("why a charged call broke off is said alone, not behind its ratios in the server's language", () => {
  const content = "模型倍率 1，补全倍率 2，分组倍率 1，用量由网关统计，上游中断";
  expect(sayWhy(content, t)).toBe("logs.endBroken");
  expect(sayWhy("客户端断开", t)).toBe("logs.endLeft");
  expect(sayWhy("the upstream says no", t)).toBe("the upstream says no");
});

test("how a call failed is said in words, not by the code that programs read", () => {
  expect(endingText("failed 502 bad_response", t)).toBe("logs.codeUnread (502)");
  expect(endingText("failed 0 interrupted", t)).toBe("logs.codeInterrupted");
  expect(endingText("failed 500 bad_response_status_code", t)).toBe("logs.codeStatus (500)");
  // What an upstream has called it stays, and so does what has no code.
  expect(endingText("failed 400 invalid_image", t)).toBe("invalid_image (400)");
  expect(endingText("failed 429 ", t)).toBe("logs.typeFailure 429");
  expect(sayContent("bad response status code 500", t)).toBe("logs.badStatus");
  expect(sayContent("bad response status code 500 of mine", t)).toContain("of mine");
});

function columnsFor(role: { readonly isAdmin: boolean; readonly isRoot: boolean }) {
  return logColumns({ ...role, t, onFilter: () => {}, onUser: () => {} });
}

test("O-416 O-417 O-432 O-445 O-446 O-447: each role has its columns, in this order", () => {
  const idsOf = (role: { readonly isAdmin: boolean; readonly isRoot: boolean }) =>
    columnsFor(role).flatMap(({ id, hidden }) => (hidden === true ? [`(${id})`] : [id]));
  const tokens = ["prompt_tokens", "completion_tokens"];
  const call = ["type", "model_name", "use_time", "(first_byte)", ...tokens, "quota"];

  expect(idsOf({ isAdmin: false, isRoot: false })).toEqual([
    "created_at",
    "token_name",
    ...call,
    "(tags)",
    "client_ip",
    "content",
  ]);
  const admin = ["created_at", "channel", "username", "token_name", ...call];
  expect(idsOf({ isAdmin: true, isRoot: false })).toEqual([
    ...admin,
    "(tags)",
    "(client_ip)",
    "content",
  ]);
  expect(idsOf({ isAdmin: true, isRoot: true })).toEqual([
    ...admin,
    "(retries)",
    "(tags)",
    "(client_ip)",
    "content",
  ]);
});

test("every column has a text for an export, with the exact figure", () => {
  const row = viewOf(
    rowOf(7, {
      quota: 1_234_567,
      other: JSON.stringify({
        frt: 640,
        client_ip: "203.0.113.9",
        admin_info: { use_channel: ["5", "3"] },
      }),
    }),
  );
  const texts = new Map(
    columnsFor({ isAdmin: true, isRoot: true }).map(({ id, csv }) => [id, csv?.(row)]),
  );
  expect([...texts.values()].every((text) => text !== undefined)).toBe(true);
  expect(texts.get("quota")).toBe("1234567");
  expect(texts.get("use_time")).toBe("1 / 0.64");
  expect(texts.get("client_ip")).toBe("203.0.113.9");
  expect(texts.get("retries")).toBe("5 > 3");
});

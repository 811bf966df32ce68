import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/bills.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { blankRow, type CallLogRow, insertCallLogs } from "#modules/logs/logs.ts";
import { installPrices } from "#modules/pricing/pricing.ts";
import { billHandlers } from "./bills.handlers.ts";
import { billStore } from "./bills.store.ts";

const person = { clientIp: "203.0.113.9", sessionId: null, requestId: "r" };
const root: Caller = { ...person, userId: 1, role: 100, username: "root" };
const noon = 1_800_014_400;

async function open(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  await installPrices(db, 5_000);
  const handlers = billHandlers({ store: bindStore(billStore, db), now: () => noon * 1_000 });
  const ask = async (endpoint: Endpoint, input: object, caller = root): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, caller);
  const send = async (text: string) => {
    const { id } = contract.beginBill.output.parse(await ask(contract.beginBill, {}));
    for (let at = 0; at * contract.billPartMax < text.length; at += 1) {
      const part = text.slice(at * contract.billPartMax, (at + 1) * contract.billPartMax);
      await ask(contract.addBillPart, { id, place: at, text: part });
    }
    return id;
  };
  const compare = async (text: string, question: object) => {
    const id = await send(text);
    return contract.billResult.parse(await ask(contract.compareBill, { id, ...question }));
  };
  return { db, close, ask, send, compare };
}

const models = ["gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-pro"] as const;

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Calls of eleven hours; counts and seconds of several are the same. */
function someCalls(count: number): CallLogRow[] {
  const next = numbers(7);
  return Array.from({ length: count }, (_, at) => ({
    ...blankRow,
    request_id: `call-${at}`,
    upstream_request_id: `gen-${at}`,
    created_at: noon + at * 4 + next(3),
    use_time: next(20),
    type: 2,
    user_id: 1,
    channel: 1 + (at % 3),
    model_name: models[next(models.length)] ?? "",
    group: "default",
    prompt_tokens: 500 + next(400),
    completion_tokens: 100 + next(40),
    usage_source: "upstream" as const,
    cost: 50,
  }));
}

async function addCalls(db: Db, calls: readonly CallLogRow[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (let at = 0; at < calls.length; at += 200) {
      await insertCallLogs(tx, calls.slice(at, at + 200));
    }
  });
}

type Cells = { id: string; at: number; model: string; input: number; output: number };

function linesOf(calls: readonly CallLogRow[]): Cells[] {
  return calls.map((call) => ({
    id: call.upstream_request_id,
    at: call.created_at - call.use_time,
    model: call.model_name,
    input: call.prompt_tokens,
    output: call.completion_tokens,
  }));
}

const vendors = { gpt: "openai", claude: "anthropic", gemini: "google" } as const;

/** Writes lines as OpenRouter's activity export does, which has dated names and vendors. */
function asOpenRouter(lines: readonly Cells[]): string {
  const head =
    "generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug";
  return [head, ...lines.map((of) => openRouterLine(of))].join("\n");
}

function openRouterLine({ id, at, model, input, output }: Cells): string {
  const time = new Date(at * 1_000).toISOString().replace("T", " ").replace("Z", "");
  const vendor = Object.entries(vendors).find(([start]) => model.startsWith(start))?.[1] ?? "";
  return [id, time, "0.0001", input, output, `${vendor}/${model}-2025-01-02`].join(",");
}

/** Writes lines without ids, in the hours of Shanghai. */
function asCsv(lines: readonly Cells[]): string {
  const rows = lines.map(({ at, model, input, output }) => {
    const time = new Date((at + 8 * 3_600) * 1_000).toISOString().slice(0, 19).replace("T", " ");
    return [time, model, input, output].join(";");
  });
  return ["Zeit;Modell;Eingabe;Ausgabe", ...rows].join("\r\n");
}

const csvQuestion = {
  kind: "csv",
  zone: "Asia/Shanghai",
  columns: { time: "Zeit", model: "Modell", input: "Eingabe", output: "Ausgabe" },
  tolerance: 60,
};

/** Plants 50 errors: 15 lines too many, 15 too few, 20 with other counts. */
function plant(lines: readonly Cells[]) {
  const planted: string[] = [];
  const changed = lines.flatMap((line, at): Cells[] => {
    // Neither the first nor the last line, which say what time the bill is about.
    if (at % 190 !== 95) return [line];
    const kind = planted.length % 10;
    if (planted.length === 50) return [line];
    if (kind < 3) {
      planted.push(`missing-there ${line.id}`);
      return [];
    }
    if (kind < 6) {
      planted.push(`missing-here extra-${at}`);
      // Some have the counts of a call of a later time, which are not to be taken for it.
      const far = kind === 3 ? lines[at + 100] : undefined;
      const counts = far ?? { input: 5_000 + at, output: 7_000 + at };
      return [line, { ...line, ...counts, id: `extra-${at}`, at: line.at }];
    }
    planted.push(`other-counts ${line.id}`);
    return [{ ...line, output: line.output + 1_000 }];
  });
  return { planted: planted.toSorted(), changed };
}

function foundIn({ findings }: contract.BillResult, lines: readonly Cells[]): string[] {
  return findings
    .map(({ kind, line, request_id }) => {
      const named = request_id === "" ? (lines[line - 2]?.id ?? "") : request_id;
      return `${kind} ${named.replace("call-", "gen-")}`;
    })
    .toSorted();
}

describe.each(testDialects)("%s", (dialect) => {
  test("of 10,000 lines with 50 planted errors 50 are found, and none besides", async () => {
    const { db, close, compare } = await open(dialect);
    const calls = someCalls(10_000);
    await addCalls(db, calls);
    const clean = linesOf(calls);
    const { planted, changed } = plant(clean);
    expect(planted).toHaveLength(50);
    for (const [text, question] of [
      [asOpenRouter, { kind: "openrouter" }],
      [asCsv, csvQuestion],
    ] as const) {
      const whole = await compare(text(clean), question);
      expect([whole.findings, whole.lines, whole.faults_total]).toEqual([[], 10_000, 0]);
      expect(whole.bill).toMatchObject({ input: whole.here.input, output: whole.here.output });
      const result = await compare(text(changed), question);
      expect(foundIn(result, changed)).toEqual(planted);
      expect(
        result.csv.split("\r\n").filter((line) => /^(missing|other)-/.test(line)),
      ).toHaveLength(50);
    }
    await close();
  }, 120_000);

  test("sums by day, model and key, with the gap; nothing is changed", async () => {
    const { db, close, compare } = await open(dialect);
    await db
      .insertInto("channels")
      .values({ ...channelRow, name: "Main key", model_mapping: '{"fast":"gpt-4o-mini"}' })
      .execute();
    const call = {
      ...someCalls(1)[0],
      ...blankRow,
      type: 2,
      user_id: 1,
      created_at: noon,
    } as const;
    const own = { channel: 1, prompt_tokens: 100, completion_tokens: 10, cost: 500 };
    await addCalls(db, [
      { ...call, ...own, request_id: "a", model_name: "fast", usage_source: "upstream" },
      { ...call, ...own, request_id: "b", model_name: "fast", usage_source: "local" },
    ]);
    const before = await db.selectFrom("logs").selectAll().execute();
    const day = new Date(noon * 1_000).toISOString().slice(0, 10);
    const head =
      "usage_date_utc,model_version,api_key,usage_input_tokens_no_cache," +
      "usage_input_tokens_cache_read,usage_output_tokens,cost_usd";
    const text = `${head}\n${day},gpt-4o-mini-2024-07-18,Main key,150,30,15,0.0021999\n`;
    const result = await compare(text, { kind: "anthropic", places: 4 });

    expect(result.rows).toEqual([
      {
        day,
        model: "gpt-4o-mini",
        key_name: "Main key",
        bill: { calls: null, input: 180, output: 15, dollars: "0.0022" },
        here: { calls: 2, input: 200, output: 20, dollars: "0.002" },
      },
    ]);
    expect(result.findings).toMatchObject([{ kind: "own-count", request_id: "b" }]);
    expect(await db.selectFrom("logs").selectAll().execute()).toEqual(before);
    await close();
  });

  test("the keys of one channel are compared together, apart from those of another", async () => {
    const { db, close, compare } = await open(dialect);
    const calls = someCalls(4).map((call, at) => ({
      ...call,
      model_name: "gpt-4o",
      channel: at < 3 ? 7 : 8,
      prompt_tokens: 100 + at,
    }));
    await addCalls(db, calls);
    const keys = ["first", "second", "first", "other"];
    const lines = linesOf(calls).map(({ id, at, input, output }, place) => {
      const time = new Date(at * 1_000).toISOString();
      return [id, time, input, output, "openai/gpt-4o", keys[place]].join(",");
    });
    const head =
      "generation_id,created_at,tokens_prompt,tokens_completion,model_permaslug,api_key_name";
    const question = { kind: "openrouter", keys: { first: 7, second: 7, other: 8 } };
    const result = await compare([head, ...lines].join("\n"), question);

    expect(result.findings).toEqual([]);
    const sums = result.rows.map(({ key_name, bill, here }) => [
      key_name,
      [bill.input, here.input],
    ]);
    expect(Object.fromEntries(sums)).toEqual({
      "first + second": [303, 303],
      other: [103, 103],
    });
    await close();
  });

  test("a line with another id is no call whose id is known, whatever its counts", async () => {
    const { db, close, compare } = await open(dialect);
    const calls = someCalls(3);
    await addCalls(db, calls);
    const lines = linesOf(calls).map((line, at) =>
      at === 1 ? { ...line, id: "gen-other" } : line,
    );
    const result = await compare(asOpenRouter(lines), { kind: "openrouter" });

    expect(foundIn(result, lines)).toEqual(["missing-here gen-other", "missing-there gen-1"]);
    await close();
  });

  test("a call that a bill by day lacks is named", async () => {
    const { db, close, compare } = await open(dialect);
    const [first, second, third] = someCalls(3).map((call) => ({ ...call, model_name: "gpt-4o" }));
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    await addCalls(db, [first, second, third]);
    const input = first.prompt_tokens + third.prompt_tokens;
    const output = first.completion_tokens + third.completion_tokens;
    const text =
      "start_time,end_time,num_model_requests,model,input_tokens,output_tokens\n" +
      `${noon - (noon % 86_400)},0,2,gpt-4o-2024-08-06,${input},${output}\n`;
    const result = await compare(text, { kind: "openai" });

    expect(result.findings).toMatchObject([{ kind: "missing-there", request_id: "call-1" }]);
    await close();
  });

  test("a wrong or empty file is a sentence, and a wrong line is told of by itself", async () => {
    const { close, compare } = await open(dialect);
    const fails = async (text: string, question: object) =>
      await compare(text, question).then(
        () => "",
        (error: unknown) => String(error),
      );
    expect(await fails(" \n", { kind: "openai" })).toContain("文件是空的");
    expect(await fails("a,b\n1,2\n", { kind: "openai" })).toContain("缺少列");
    expect(await fails("a,b\n1,2\n", { kind: "csv" })).toContain("请指定列");
    expect(await fails("\u0000\u0001PK", { kind: "anthropic" })).toContain("缺少列");
    expect(await fails("{}", { kind: "openrouter" })).toContain("缺少列");
    const head = "created_at,model_name,prompt_tokens,completion_tokens,quota,type\n";
    expect(await fails(head, { kind: "new-api" })).toContain("没有用量");
    const lines = `${noon},m,1,1,1,2\n${noon},m,-1,1,1,2\n2026-02-31,m,1,1,1,2\n${noon},m,1,1,x,2\n${noon},m,9,9,9,5\n`;
    const result = await compare(head + lines, { kind: "new-api" });

    expect(result.lines).toBe(1);
    expect(result.faults.map(({ line }) => line)).toEqual([3, 4, 5]);
    expect(result.bill.dollars).toBe("0.000002");
    await close();
  });

  test("nobody else's bill is read", async () => {
    const { close, ask, send } = await open(dialect);
    const id = await send("a,b\n");
    const other: Caller = { ...root, userId: 2 };
    const part = { id, place: 0, text: "x" };

    await expect(ask(contract.compareBill, { id, kind: "openai" }, other)).rejects.toThrow("账单");
    await expect(ask(contract.addBillPart, part, other)).rejects.toThrow("账单");
    await send("c,d\n");
    await expect(ask(contract.compareBill, { id, kind: "openai" })).rejects.toThrow("账单");
    await close();
  });
});

const channelRow = {
  type: 1,
  status: 1,
  base_url: "",
  other: "",
  models: "fast",
  group: "default",
  status_code_mapping: "",
  param_override: "",
  setting: "",
  other_info: "",
  tag: null,
  priority: 0,
  weight: 0,
  auto_ban: 1,
  openai_organization: "",
  test_model: "",
  created_time: 0,
  test_time: 0,
  response_time: 0,
  balance: 0,
  balance_updated_time: 0,
};

import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { Drawing, Task, TaskStatus } from "@tollgate/contract/endpoints/tasks.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { keepSession } from "#api/session.ts";
import type { Language } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { DrawingsScreen, TasksScreen } from "./TasksScreen.tsx";
import { taskSearch } from "./tasks.search.ts";

const patient = { timeout: 20_000 };
const submitted = 1_795_386_700;

const base = {
  user_id: 1,
  username: "alice",
  channel_name: "north",
  progress: "0%",
  fail_reason: "",
  start_time: 0,
  quota: 50_000,
  refunded: 0,
  channel_id: 5,
} as const;

function drawing(id: number, parts: Partial<Drawing>): Drawing {
  const told = { prompt_en: "", description: "", state: "", image_url: "" };
  return {
    ...base,
    ...told,
    id,
    mj_id: `T${id}`,
    action: "IMAGINE",
    status: "SUCCESS",
    code: 1,
    prompt: `drawing ${id}`,
    submit_time: submitted * 1_000,
    finish_time: 0,
    buttons: "[]",
    properties: "{}",
    ...parts,
  };
}

function task(id: number, parts: Partial<Task>): Task {
  return {
    ...base,
    id,
    task_id: `T${id}`,
    platform: "suno",
    action: "MUSIC",
    status: "SUCCESS",
    prompt: `task ${id}`,
    created_at: submitted,
    submit_time: submitted,
    finish_time: 0,
    result_url: "",
    data: "{}",
    ...parts,
  };
}

let served: ReturnType<typeof serve> | undefined;
afterEach(() => {
  served?.stop();
  keepSession(null);
});

type Rows = { readonly drawings?: readonly Drawing[]; readonly tasks?: readonly Task[] };

/** Opens a list of tasks as an admin, or as a user, whose calls have other addresses. */
async function open(
  at: string,
  rows: Rows,
  as: "admin" | "user" = "admin",
  language: Language = "zh",
) {
  const own = as === "admin" ? "" : "self";
  const { drawings = [], tasks = [] } = rows;
  served = serve({
    [`GET /api/mj/${own === "" ? "" : "self/"}`]: { data: drawings, total: drawings.length },
    [`GET /api/task/${own}`]: { data: tasks, total: tasks.length },
    "GET /api/task/platforms": { data: [{ id: "suno", name: "Suno", labels: ["music"] }] },
  });
  const names = { username: "alice", display_name: "", status: 1, group: "default" } as const;
  keepSession({ id: 1, role: as === "admin" ? role.enum.admin : role.enum.user, ...names });
  await renderAt(
    at,
    () => (
      <QueryClientProvider client={new QueryClient()}>
        {at.startsWith("/task") ? <TasksScreen /> : <DrawingsScreen />}
      </QueryClientProvider>
    ),
    { language },
  );
}

/** What stands in the row of a task. */
async function rowOf(name: string): Promise<string> {
  await screen.findAllByText(name, {}, patient);
  const row = screen.getAllByRole("row").find(({ textContent }) => textContent?.includes(name));
  return row?.textContent ?? "";
}

test("O-488 … O-493, O-506 … O-513: each state has a word of its own", async () => {
  const words: Readonly<Record<TaskStatus, string>> = {
    "": "提交中",
    NOT_START: "未启动",
    SUBMITTED: "已提交",
    QUEUED: "排队中",
    IN_PROGRESS: "执行中",
    MODAL: "窗口等待",
    SUCCESS: "成功",
    FAILURE: "失败",
    UNKNOWN: "未知",
  };
  const states = Object.keys(words) as TaskStatus[];
  await open("/task", { tasks: states.map((status, id) => task(id, { status })) });
  for (const [id, status] of states.entries()) {
    expect(await rowOf(`task ${id}`), status).toContain(words[status]);
  }
  // Code 0 is said otherwise, so that the words of the state are the only ones.
  await open("/midjourney", {
    drawings: states.map((status, id) => drawing(id, { status, code: 0 })),
  });
  for (const [id, status] of states.entries()) {
    expect(await rowOf(`drawing ${id}`), status).toContain(words[status]);
  }
});

test("O-494 … O-497: a drawing says how its submission was answered", async () => {
  const words = { 1: "已提交", 21: "等待中", 22: "重复提交", 0: "未提交" };
  const codes = Object.keys(words).map(Number);
  await open("/midjourney", { drawings: codes.map((code) => drawing(code, { code })) });
  for (const [code, word] of Object.entries(words)) {
    expect(await rowOf(`drawing ${code}`)).toContain(word);
  }
});

test("O-498: a drawing that took over 60 seconds shows its time in red", async () => {
  const took = (seconds: number) =>
    drawing(seconds, { finish_time: (submitted + seconds) * 1_000, image_url: "" });
  await open("/midjourney", { drawings: [took(60), took(61), drawing(1, { status: "FAILURE" })] });
  const lookOf = async (text: string): Promise<string> => {
    const [found] = await screen.findAllByText(text, {}, patient);
    return found?.closest("span[class*='rounded']")?.className ?? "";
  };
  const danger = await lookOf("失败");
  expect(danger).not.toBe("");
  expect(await lookOf("61 秒")).toBe(danger);
  expect(await lookOf("60 秒")).not.toBe(danger);
});

test("O-484: without a range in the address, the lists begin 30 days ago", () => {
  const nowMs = submitted * 1_000;
  const search = taskSearch(nowMs);
  expect(search.parse({}).start).toBe(submitted - 30 * 86_400);
  expect(search.parse({}).end).toBeGreaterThan(submitted);
  expect(search.parse({ start: "5", end: "6" })).toMatchObject({ start: 5, end: 6 });
});

test("O-483 O-485 O-503 O-517: the filters of the address are what the server is asked for, and users have none of channels", async () => {
  await open("/midjourney", {});
  const asked = () => Object.fromEntries(served?.asked[0]?.query ?? []);
  await screen.findByText("还没有绘图任务", {}, patient);
  expect(Number(asked()["start_timestamp"])).toBeGreaterThan(1e12);
  expect(asked()["page_size"]).toBe("20");
  const field = (): number => screen.queryAllByPlaceholderText("渠道").length;
  expect(field()).toBeGreaterThan(0);
  await open("/task", {}, "user");
  await screen.findByText("还没有任务", {}, patient);
  expect(field()).toBe(0);
  expect(served?.asked.map(({ call }) => call)).toContain("GET /api/task/self");
});

test("an admin reads whose task it is, and songs' words and prompts in English are in the unfolded row", async () => {
  const text = JSON.stringify({ data: { title: "Rain", text: "[Verse] it rains" } });
  const lyrics = task(1, { action: "LYRICS", data: text, channel_name: "" });
  await open("/task?expanded=1", { tasks: [lyrics] });
  await screen.findByText(/\[Verse\] it rains/, {}, patient);
  expect(screen.getAllByText("alice").length).toBeGreaterThan(0);
  // The channel is gone: its number is what is left of it.
  expect(screen.getAllByText("#5").length).toBeGreaterThan(0);
  await open("/midjourney?expanded=1", { drawings: [drawing(1, { prompt_en: "a cat" })] });
  await screen.findByText("a cat", {}, patient);
});

test("each song of a task is played from its row, not only the first", async () => {
  const own = "/v1/tasks/results/T1";
  const data = JSON.stringify({ data: [{ audio_url: own }, { audio_url: `${own}/2` }] });
  await open("/task?expanded=1", { tasks: [task(1, { result_url: own, data })] });
  await screen.findByRole("button", { name: "播放 task 1 (2)" }, patient);
  expect(screen.getAllByRole("button", { name: /^播放/ })).toHaveLength(2);
});

test("the picture of a running drawing is read again at each progress", async () => {
  const image_url = "/mj/image/T1";
  const parts = { status: "IN_PROGRESS", progress: "40%", image_url } as const;
  const ended = drawing(2, { image_url: "/mj/image/T2", finish_time: submitted * 1_000 });
  await open("/midjourney", { drawings: [drawing(1, parts), ended] });
  await screen.findByRole("button", { name: "放大 drawing 1" }, patient);
  const shown = [...document.querySelectorAll("img")].map((picture) => picture.getAttribute("src"));
  expect(shown).toEqual(["/mj/image/T1?rand=40%25", "/mj/image/T2"]);
});

test("O-517: tasks are filtered by their type, which the screen offers by name", async () => {
  await open("/task?action=LYRICS", {});
  await screen.findAllByText("生成歌词", {}, patient);
  const [list] = served?.asked.filter(({ call }) => call === "GET /api/task/") ?? [];
  expect(Object.fromEntries(list?.query ?? [])["action"]).toBe("LYRICS");
});

test("the gateway's own reasons are in the reader's language", async () => {
  const reason = "任务的渠道已被删除";
  await open("/task", { tasks: [task(1, { status: "FAILURE", fail_reason: reason })] });
  expect(await rowOf("task 1")).toContain(reason);
  await open(
    "/task",
    { tasks: [task(1, { status: "FAILURE", fail_reason: reason })] },
    "admin",
    "en",
  );
  expect(await rowOf("task 1")).toContain("The channel of the task was deleted");
});

test("a failed task shows why, what it cost and that this was given back", async () => {
  const failed = { status: "FAILURE", fail_reason: "banned words", refunded: 50_000 } as const;
  await open("/task", { tasks: [task(1, failed)] });
  const row = await rowOf("task 1");
  expect(row).toContain("banned words");
  expect(row).toMatch(/\$0\.1.*已退款 \$0\.1/);
});

for (const [as, sees] of [
  ["user", false],
  ["admin", true],
] as const) {
  test(`kinds of tasks that nobody offers are shown to administrators alone: ${as}`, async () => {
    await open("/task", {}, as);
    const offered = await screen.findByRole("list", { name: "可用的任务" }, patient);
    expect(offered.textContent).toContain("生成音乐");
    expect(offered.textContent?.includes("没有平台提供")).toBe(sees);
  });
}

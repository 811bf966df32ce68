import { expect, test } from "bun:test";
import { midjourney } from "./midjourney.ts";
import type { PlatformOptions, StoredTask, Submission } from "./platform.ts";

const options = { accountFilter: false, notify: false, modeClear: false, actionCheckSuccess: true };

function imagine(
  body: Record<string, unknown>,
  { mode = "", ...chosen }: Partial<PlatformOptions> & { readonly mode?: string } = {},
) {
  const route = midjourney.routes.find(({ path }) => path === "/mj/submit/imagine");
  const asked = route?.read({
    segments: [],
    mode,
    query: new URLSearchParams(),
    body,
    options: { ...options, ...chosen },
  });
  if (asked?.kind !== "submit") throw new Error(JSON.stringify(asked));
  return { speed: asked.use.mode, prompt: asked.prompt, path: asked.path, body: asked.body };
}

test("a drawing runs at the speed that is charged, whatever other speeds its prompt names", () => {
  const relaxed = { speed: "relax", prompt: "a cat", path: "/relax/mj/submit/imagine" };
  const turbo = { speed: "turbo", path: "/turbo/mj/submit/imagine" };
  expect(imagine({ prompt: "a cat --turbo" }, { mode: "relax" })).toMatchObject({
    ...relaxed,
    body: { prompt: "a cat" },
  });
  expect(imagine({ prompt: "a cat —turbo" }, { mode: "mj-relax" })).toMatchObject(relaxed);
  expect(imagine({ prompt: "a cat" }, { mode: "RELAX" })).toMatchObject(relaxed);
  // The words alone choose as well, with the dash that phones write.
  expect(imagine({ prompt: "a cat —turbo" })).toMatchObject({ ...turbo, prompt: "a cat —turbo" });
  expect(imagine({ prompt: "a cat --relax --v 6 --turbo" })).toMatchObject({
    ...relaxed,
    prompt: "a cat --relax --v 6",
  });
  expect(imagine({ prompt: "a cat --turbo" }, { modeClear: true })).toMatchObject({
    speed: "",
    path: "/mj/submit/imagine",
    body: { prompt: "a cat" },
  });
  expect(imagine({ prompt: "--turbo" }, { modeClear: true }).body).toEqual({ prompt: "" });
});

test("the accounts that a request may choose have the speed that is charged", () => {
  const accountFilter = { instanceId: "7", modes: ["TURBO", "RELAX"] };
  expect(imagine({ prompt: "a cat", accountFilter }).body).toEqual({ prompt: "a cat" });
  const passed = { accountFilter: true };
  expect(imagine({ prompt: "a cat", accountFilter }, passed)).toMatchObject({
    speed: "turbo",
    body: { accountFilter: { instanceId: "7", modes: ["TURBO"] } },
  });
  expect(imagine({ prompt: "a cat", accountFilter }, { ...passed, mode: "relax" })).toMatchObject({
    speed: "relax",
    body: { accountFilter: { instanceId: "7", modes: ["RELAX"] } },
  });
});

test("modes without a speed go on as they are, unless they begin with `mj-`", () => {
  expect(imagine({ prompt: "a cat" }, { mode: "mj-fast" }).path).toBe("/fast/mj/submit/imagine");
  expect(imagine({ prompt: "a cat" }, { mode: "mj-other" }).path).toBe("/mj/submit/imagine");
  expect(imagine({ prompt: "a cat" }, { mode: "other" }).path).toBe("/other/mj/submit/imagine");
});

test("an upload has ended when it is answered, with the addresses of its pictures or with an id", () => {
  const pictures = ["https://cdn.example/1.png", "https://cdn.example/2.png"];
  const listed = { code: 1, description: "success", result: pictures };
  expect(midjourney.readSubmitted(200, listed, "UPLOAD")).toMatchObject({
    kind: "accepted",
    upstreamId: pictures[0],
    state: { status: "SUCCESS", progress: 100, url: pictures[0], data: { result: pictures } },
  });
  expect(midjourney.readSubmitted(200, { code: 1, result: "17" }, "UPLOAD")).toMatchObject({
    upstreamId: "17",
    state: { status: "SUCCESS", progress: 100, url: "" },
  });
  // Other submissions of the same form only begin.
  expect(midjourney.readSubmitted(200, { code: 1, result: "17" }, "IMAGINE")).toMatchObject({
    upstreamId: "17",
    state: null,
  });
  expect(midjourney.readSubmitted(200, { code: 24, result: null }, "UPLOAD")).toMatchObject({
    kind: "rejected",
  });
});

test("a drawing that the upstream has finished already is stored at once, by code 21", () => {
  const properties = { status: "SUCCESS", imageUrl: "https://cdn.example/1.png" };
  const answer = { code: 21, description: "exists", result: "17", properties };
  expect(midjourney.readSubmitted(200, answer, "IMAGINE")).toMatchObject({
    code: 21,
    state: { status: "SUCCESS", progress: 100, url: properties.imageUrl },
  });
});

test("O-495: a task that waits in a queue, by codes 22 to 24, is told as submitted", () => {
  const texts = { prompt: "a cat", promptEn: "", description: "", failReason: "", state: "" };
  const times = { submitTime: 1, startTime: 0, finishTime: 0 };
  const task: StoredTask = {
    ...texts,
    ...times,
    id: "T1",
    platform: "midjourney",
    action: "IMAGINE",
    model: "mj_imagine",
    upstreamId: "17",
    status: "SUBMITTED",
    code: 23,
    progress: 0,
    url: "",
    data: {},
  };
  for (const code of [22, 23, 24]) {
    const submitted = midjourney.readSubmitted(200, { code, result: "17" }, "IMAGINE");
    if (submitted?.kind !== "accepted") throw new Error(JSON.stringify(submitted));
    expect(midjourney.answerSubmitted(task, submitted)).toMatchObject({ code: 1, result: "T1" });
  }
});

test("a button presses only what belongs to its task", () => {
  const [mine, theirs] = [
    "11111111-2222-3333-4444-555555555555",
    "99999999-2222-3333-4444-555555555555",
  ];
  const route = midjourney.routes.find(({ path }) => path === "/mj/submit/action");
  const press = (job: string) => {
    const customId = `MJ::JOB::upsample::1::${job}`;
    const body = { taskId: "T1", customId };
    const asked = route?.read({
      segments: [],
      mode: "",
      query: new URLSearchParams(),
      body,
      options,
    });
    const data = { buttons: [{ customId: `MJ::JOB::upsample::1::${mine}`, label: "U1" }] };
    // Safe cast: nothing else of the task is read.
    const task = { data } as unknown as Parameters<NonNullable<Submission["inherit"]>>[0];
    return asked?.kind === "submit" ? asked.inherit?.(task).kind : undefined;
  };
  expect([press(mine), press(theirs)]).toEqual(["submit", "refused"]);
});

/** Tasks that their upstream calls done without a result: what never came costs nothing. */

import { afterEach, expect, test } from "bun:test";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { taskStore } from "./tasks.store.ts";
import { newTask, submittedMs, taskState } from "./testing/task-samples.ts";

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

const nowMs = submittedMs + 60_000;
const nothing = { ...taskState("SUCCESS", 100), url: "" };

for (const dialect of testDialects) {
  test(`a video, song or picture that never came has failed, so that it is given back, on ${dialect}`, async () => {
    const { db, close } = await openTestDatabase(dialect);
    closes.push(close);
    const store = bindStore(taskStore, db);
    const ends = async (platform: string, action: string, state = nothing) => {
      const taskId = `T${platform}${action}${state.url.length}`;
      await store.addTask(newTask({ task_id: taskId, platform, action }));
      const accepted = { upstream_id: `up-${taskId}`, status: "SUBMITTED" };
      await db.updateTable("tasks").set(accepted).where("task_id", "=", taskId).execute();
      await store.noteState({ taskId, state, nowMs });
      const row = await store.findTask(taskId, null);
      return [row?.status, row?.fail_reason, row?.due_at];
    };
    const failed = ["FAILURE", "上游没有返回结果", 0];
    for (const [platform, actions] of [
      [
        "kling",
        ["VIDEO", "IMAGE_VIDEO", "MULTI_IMAGE_VIDEO", "OMNI_VIDEO", "EXTEND", "LIP_SYNC", "IMAGE"],
      ],
      ["doubao", ["VIDEO", "IMAGE_VIDEO"]],
      ["openai-video", ["VIDEO"]],
      ["suno", ["MUSIC"]],
      ["midjourney", ["IMAGINE", "BLEND", "UPSCALE", "VARIATION", "REROLL", "SWAP_FACE"]],
    ] as const) {
      for (const action of actions) {
        expect([platform, action, ...(await ends(platform, action))]).toEqual([
          platform,
          action,
          ...failed,
        ]);
        const came = { ...nothing, url: "https://x.example/1" };
        expect((await ends(platform, action, came))[0]).toBe("SUCCESS");
      }
    }
    // Their result is a text.
    for (const [platform, action] of [
      ["suno", "LYRICS"],
      ["midjourney", "DESCRIBE"],
      ["midjourney", "SHORTEN"],
      ["midjourney", "UPLOAD"],
    ] as const) {
      expect((await ends(platform, action))[0]).toBe("SUCCESS");
    }
  });

  test(`a picture that was shown while it was made counts as its result on ${dialect}`, async () => {
    const { db, close } = await openTestDatabase(dialect);
    closes.push(close);
    const store = bindStore(taskStore, db);
    await store.addTask(newTask({ task_id: "Tshown" }));
    const accepted = { upstream_id: "up-1", status: "SUBMITTED" };
    await db.updateTable("tasks").set(accepted).where("task_id", "=", "Tshown").execute();
    const half = { ...taskState("IN_PROGRESS"), url: "https://x.example/half" };
    await store.noteState({ taskId: "Tshown", state: half, nowMs });
    await store.noteState({ taskId: "Tshown", state: nothing, nowMs });
    expect((await store.findTask("Tshown", null))?.status).toBe("SUCCESS");
  });
}

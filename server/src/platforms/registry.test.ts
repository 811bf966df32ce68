import { expect, test } from "bun:test";
import { taskLabels } from "@tollgate/contract/endpoints/tasks.ts";
import { readdirSync } from "node:fs";
import { findPlatform, platforms, taskFolders } from "./registry.ts";
import type { TaskRequest } from "./platform.ts";

/** Requests that begin a task of each kind, below the paths of all platforms. */
const bodies: readonly Record<string, unknown>[] = [
  { prompt: "a cat", base64: "x", base64Array: ["x"], sourceBase64: "x", targetBase64: "x" },
  { content: [{ type: "text", text: "a cat" }] },
  { task_id: "T1", video_id: "v" },
];

/** The actions that show that a platform offers what a label says. */
const actionsOf: Readonly<Record<string, readonly string[]>> = {
  music: ["MUSIC"],
  lyrics: ["LYRICS"],
  video: ["VIDEO"],
  extend: ["EXTEND"],
  image: ["IMAGE", "IMAGINE"],
  upload: ["UPLOAD"],
  kling: ["VIDEO"],
};

function actionsAt(id: string): Set<string> {
  const actions = new Set<string>();
  for (const { path, read } of findPlatform(id)?.routes ?? []) {
    for (const body of bodies) {
      for (const segment of ["music", "lyrics"]) {
        const request: TaskRequest = {
          segments: path.includes("*") ? [segment] : [],
          mode: "",
          query: new URLSearchParams(),
          body,
          options: {
            accountFilter: false,
            notify: false,
            modeClear: false,
            actionCheckSuccess: true,
          },
        };
        const asked = read(request);
        if (asked.kind === "submit") actions.add(asked.action);
      }
    }
  }
  return actions;
}

test("every file of a platform is registered, sorted, and says what of it is assumed", () => {
  const ids = platforms.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  const files = readdirSync(import.meta.dir).filter((file) => !file.endsWith(".test.ts"));
  for (const { id, source } of platforms) {
    expect(files).toContain(`${id}.ts`);
    expect(source.length, id).toBeGreaterThan(20);
  }
  expect(taskFolders).not.toContain("v1");
  expect(taskFolders).not.toContain("api");
});

test("O-582 … O-590: each label of a platform is an action with a route", () => {
  const offered = new Set(platforms.flatMap(({ labels }) => labels));
  for (const { id, labels } of platforms) {
    const actions = actionsAt(id);
    for (const label of labels) {
      const wanted = actionsOf[label] ?? [];
      expect(
        wanted.some((action) => actions.has(action)),
        `${id}: ${label}`,
      ).toBe(true);
    }
  }
  // The screen says of these that no platform offers them.
  expect(taskLabels.filter((label) => !offered.has(label))).toEqual(["splice", "watermark"]);
});

import { expect, test } from "bun:test";
import { fewDescriptorsWarning, watchDescriptors } from "./descriptors-watch.ts";

test("a process that may open few files is warned of, with what to do", () => {
  expect(fewDescriptorsWarning(64)).toContain("64 files");
  expect(fewDescriptorsWarning(64)).toContain("LimitNOFILE");
  expect([fewDescriptorsWarning(1_024), fewDescriptorsWarning(Infinity)]).toEqual([null, null]);
});

test("that no file is left is logged once a minute as long as it lasts", async () => {
  const lines: string[] = [];
  let nowMs = 0;
  let isFull = false;
  const { run } = watchDescriptors(
    { error: (line: string) => void lines.push(line) },
    { now: () => nowMs, lacks: () => isFull },
  );
  const after = async (ms: number) => {
    nowMs += ms;
    await run();
    return lines.length;
  };
  expect(await after(1_000)).toBe(0);
  isFull = true;
  expect([await after(1_000), await after(1_000), await after(60_000)]).toEqual([1, 1, 2]);
  isFull = false;
  expect(await after(120_000)).toBe(2);
  expect(lines[0]).toContain("ulimit -n");
});

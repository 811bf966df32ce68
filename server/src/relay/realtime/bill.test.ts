import { expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import { countResponse } from "./bill.ts";

const told = (usage: Partial<Usage>): ReadUsage => ({
  kind: "ok",
  usage: { ...noUsage, ...usage },
  totalDiffers: false,
  contradiction: "",
});

const own = { input: 2, output: 30, heard: 5, said: 400 };
const prompt = { input: 700, inputAudio: 90, cacheRead: 300 };

test("a response that breaks off is charged what was said, not what its first report counts", () => {
  const usage = told({ ...prompt, outputAudio: 1 });
  expect(countResponse({ usage, isEnded: false }, own, 4_096)).toEqual({
    usage: { ...noUsage, ...prompt, output: 30, outputAudio: 400 },
    source: "upstream+seen",
    doubt: "",
    hiddenOutput: false,
    seen: 430,
  });
});

test("where more was reported of a response that breaks off, that is charged", () => {
  const usage = told({ ...prompt, output: 50, outputAudio: 600 });
  const counted = countResponse({ usage, isEnded: false }, own, 4_096);
  expect(counted.usage).toEqual({ ...noUsage, ...prompt, output: 50, outputAudio: 600 });
});

test("a response that has ended is charged what its upstream reports", () => {
  const usage = told({ ...prompt, outputAudio: 390 });
  const counted = countResponse({ usage, isEnded: true }, own, 4_096);
  expect([counted.usage, counted.source, counted.seen]).toEqual([
    { ...noUsage, ...prompt, outputAudio: 390 },
    "upstream",
    430,
  ]);
});

import { expect, test } from "bun:test";
import { endingOf } from "./ending.ts";

test("rows of earlier versions have the ending that the update gave them, so that the audit agrees", () => {
  const endings = [
    ["模型倍率 1，输出中止", "stopped"],
    ["模型倍率 1，预算不足，输出中止", "cut"],
    ["模型倍率 1，令牌额度不足，输出中止", "cut"],
    ["模型倍率 1，上游中断", "broken"],
    ["模型倍率 1，已由 a\nb 停止：too long", "stopped"],
    ["模型倍率 1", ""],
  ] as const;
  for (const [content, ending] of endings) {
    expect([content, endingOf({ type: 2, content, other: "" })]).toEqual([content, ending]);
  }
});

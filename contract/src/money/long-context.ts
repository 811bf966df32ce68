/**
 * Reads option `LongContextPrices` as people and programs write it: factors may be numbers or
 * decimal text. What is charged by it is in `charge.ts`.
 */

import { z } from "zod";
import { isObject, readByModel, readPriceFactor, wrongFactor } from "./price-factors.ts";
import { type LongContext, type LongStep, termsMax } from "./price-terms.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";

export type LongContextPrices = Readonly<Record<string, LongContext>>;

/** The largest number of tokens that any call is believed to have. */
export const longContextMax = 10_000_000;

/** Reads the parsed JSON of the option, or says which model has a wrong value and what it must be. */
export function readLongContexts(sent: unknown): Parsed<LongContextPrices> {
  return readByModel(sent, readLongContext);
}

export const longContextOption = z.unknown().transform((sent, context): LongContextPrices => {
  const read = readLongContexts(sent);
  if (read.ok) return read.value;
  context.addIssue({ code: "custom", message: read.message });
  return z.NEVER;
});

const names: ReadonlySet<string> = new Set(["above", "ratio", "completion", "cache", "further"]);

function readLongContext(model: string, sent: unknown): Parsed<LongContext> {
  const first = readStep(model, sent, names);
  if (!first.ok || !isObject(sent) || sent["further"] === undefined) return first;
  const { further } = sent;
  if (!Array.isArray(further) || further.length > termsMax) {
    return { ok: false, message: `${model} 的 further 必须是最多 ${termsMax} 个档位的数组` };
  }
  const steps: LongStep[] = [];
  let before = first.value.above;
  for (const each of further) {
    const step = readStep(model, each, stepNames);
    if (!step.ok) return step;
    if (step.value.above <= before) {
      return { ok: false, message: `${model} 的每个档位的 above 必须大于前一个档位` };
    }
    before = step.value.above;
    steps.push(step.value);
  }
  return steps.length === 0 ? first : { ok: true, value: { ...first.value, further: steps } };
}

/** Reads the JSON text of the further steps of a model whose first step is above this. */
export function readFurtherSteps(json: string, above: number): Parsed<readonly LongStep[]> {
  let further: unknown;
  try {
    further = JSON.parse(json);
  } catch {
    return { ok: false, message: "不是合法的 JSON 字符串" };
  }
  const read = readLongContext("further", { above, further });
  return read.ok ? { ok: true, value: read.value.further ?? [] } : read;
}

const stepNames: ReadonlySet<string> = new Set([...names].filter((name) => name !== "further"));

function readStep(model: string, sent: unknown, known: ReadonlySet<string>): Parsed<LongStep> {
  const isKnown = isObject(sent) && Object.keys(sent).every((name) => known.has(name));
  if (!isKnown) {
    const message =
      known === names
        ? `${model} 只能设置 above、ratio、completion、cache 和 further`
        : `${model} 只能设置 above、ratio、completion 和 cache`;
    return { ok: false, message };
  }
  const { above, ratio = 1, completion = 1, cache } = sent;
  if (!isLongContextAbove(above)) {
    return { ok: false, message: `${model} 的 above 必须是 1 到 ${longContextMax} 之间的整数` };
  }
  const [input, output] = [readPriceFactor(ratio), readPriceFactor(completion)];
  if (input === undefined) return wrongFactor(model, "ratio");
  if (output === undefined) return wrongFactor(model, "completion");
  const step = { above, ratio: input, completion: output };
  if (cache === undefined) return { ok: true, value: step };
  const cached = readPriceFactor(cache);
  if (cached === undefined) return wrongFactor(model, "cache");
  return { ok: true, value: { ...step, cache: cached } };
}

/** Whether calls can be long above this number of tokens. */
export function isLongContextAbove(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longContextMax;
}

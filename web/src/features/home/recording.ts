/**
 * Calls that this product has relayed, counted and charged on 2026-11-23: its log rows and the
 * prices that it charged by, which are those of a new installation. Behind the model names stood a
 * script, so the answers are no model's words. Shown to visitors of servers without `--demo`.
 */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { Language } from "#i18n/t.ts";
import type { PassedCall } from "./passed-call.ts";

/** The model of the recorded answers. */
const answerModel = "gpt-5-mini";

/** A recorded answer: the question, and the pieces in which the answer came. */
export type Recording = {
  readonly question: string;
  readonly pieces: readonly string[];
  /** Milliseconds between two pieces. */
  readonly pieceMs: number;
  readonly call: PassedCall;
};

export function recordingIn(language: Language): Recording {
  return { ...answers[language], pieceMs: 18 };
}

const answers: Readonly<Record<Language, Omit<Recording, "pieceMs">>> = {
  en: {
    question: "What is a token, and what does it cost?",
    pieces: splitWords(
      "A token is a piece of text, often a word or part of one. A model reads your question in " +
        "tokens and writes its answer in tokens. This gateway counts both, multiplies each by the " +
        "model's price, and adds them up. That sum, to the last digit, is what the call costs.",
    ),
    call: recorded("20261123050136917sLtHJAsxI5MdZD4d", [answerModel, 18, 63, 65, "0.125", "8"]),
  },
  zh: {
    question: "Token 是什么？怎么计费？",
    pieces: splitPairs(
      "Token 是一小段文本，常常是一个词或词的一部分。模型按 Token 读取问题，也按 Token 写出回答。" +
        "网关分别计数，乘以该模型的价格，再相加。这个和精确到最后一位，就是这次调用的费用。",
    ),
    call: recorded("20261123050137984w7vV4IZuUylOBqcK", [answerModel, 15, 61, 63, "0.125", "8"]),
  },
};

/** The recorded calls, newest first. */
export const recordedCalls: readonly PassedCall[] = [
  recorded("20261123050135862uH24HljwfKlTZEMu", [
    "kimi-k2-0905-preview",
    13,
    63,
    83,
    "0.3",
    "4.166666666667",
  ]),
  recorded("20261123050134985Tcdxi5BcgcoLtKwJ", ["glm-4.6", 16, 61, 72, "0.3", "3.666666666667"]),
  recorded("20261123050134253sG7W2rOmbWjz4VBP", ["grok-4", 17, 45, 363, "1.5", "5"]),
  recorded("202611230501334219QoU4l7vf85K1q3P", ["qwen-plus", 12, 38, 25, "0.2", "3"]),
  recorded("202611230501325503kfHe7Jka0AHSyt0", [answerModel, 17, 54, 56, "0.125", "8"]),
  recorded("20261123050131933k3QKv822sulIzFZD", [
    "gemini-2.5-flash",
    15,
    36,
    47,
    "0.15",
    "8.333333333333",
  ]),
  recorded("20261123050131567Ir0MwUdhtOch7dp4", ["deepseek-chat", 15, 21, 7, "0.14", "1.5"]),
  recorded("20261123050129593i8egnsxKBXbCd60u", ["claude-sonnet-4-5", 24, 63, 509, "1.5", "5"]),
];

/** A recorded row: model, input and output tokens, quota units, ratios of model and output. */
type Row = readonly [string, number, number, number, string, string];

function recorded(id: string, [model, input, output, quota, ratio, completion]: Row): PassedCall {
  const prices = {
    QuotaPerUnit: "500000",
    GroupRatio: { default: "1" },
    ModelRatio: { [model]: ratio },
    CompletionRatio: { [model]: completion },
    ModelPrice: {},
    CacheRatio: {},
    CreateCacheRatio: {},
    CreateCacheRatio1h: {},
    ImageRatio: {},
    AudioRatio: {},
    AudioCompletionRatio: {},
  };
  const charge = { usage: { ...noUsage, input, output }, prices, write_off: 0, rerates: [] };
  return { id, model, group: "default", input, output, quota, charge, key: 0 };
}

function splitWords(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function splitPairs(text: string): string[] {
  return text.match(/[A-Za-z]+ ?|[^A-Za-z]{1,2}/g) ?? [];
}

/**
 * How a call has ended, as one text that rows, sums and filters share: `""` for a whole answer; a
 * word for one that was charged and broke off; and for a call that failed the word `failed`, the
 * status that its client got and the error's code, as in `failed 429 rate_limit_exceeded`.
 */

/**
 * The first words. `broken`: the upstream broke off; `cut`: no money was left for more; `left`: the
 * client disconnected; `stopped`: the gateway or somebody ended it.
 */
const finishes = ["complete", "failed", "broken", "cut", "left", "stopped"] as const;
export type Finish = (typeof finishes)[number];

/** The longest error code that is kept, in characters. */
const codeMax = 80;

/** The code of a call that was interrupted by the end of its process. */
export const interruptedCode = "interrupted";

type Failed = { readonly status: number; readonly code: string };

/** Writes the ending of a failed call. `status` 0: the client got none. */
export function failedEnding({ status, code }: Failed): string {
  const plain = code.replaceAll(/[^\w.:/-]+/g, "_").slice(0, codeMax);
  return `failed ${status} ${plain === "" ? "unknown" : plain}`;
}

type Ending = { readonly finish: Finish; readonly status: number; readonly code: string };

/** Reads the text of an ending. The status of what was charged is 200. */
export function readEnding(text: string): Ending {
  const [word = "", status = "", ...code] = text.split(" ");
  const finish = finishes.find((one) => one === word) ?? "complete";
  if (finish !== "failed") return { finish, status: 200, code: "" };
  return { finish, status: Number(status) || 0, code: code.join(" ") };
}

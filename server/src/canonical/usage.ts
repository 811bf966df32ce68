/**
 * What one upstream attempt consumed, in tokens, as the provider reported it. Whole numbers ≥ 0.
 *
 * All ten are disjoint: each token is counted in exactly one of them, so their sum is what was
 * processed. Providers count inclusively and disagree on what includes what; the format's reader
 * converts, nothing downstream does.
 */
export type Usage = {
  /** Text read at the full price. */
  readonly input: number;
  /** Input found in the provider's prompt cache. */
  readonly cacheRead: number;
  /** Input stored in the cache for 5 minutes, or as long as a provider without a choice does. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly inputAudio: number;
  readonly inputImage: number;
  /** Visible answer: text, refusals, tool calls. */
  readonly output: number;
  /** Thinking, shown or hidden. */
  readonly reasoning: number;
  readonly outputAudio: number;
  readonly outputImage: number;
};

export const noUsage: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  inputAudio: 0,
  inputImage: 0,
  output: 0,
  reasoning: 0,
  outputAudio: 0,
  outputImage: 0,
};

/** All input tokens, whatever their price. */
export function inputOf(usage: Usage): number {
  return (
    usage.input +
    usage.cacheRead +
    usage.cacheWrite5m +
    usage.cacheWrite1h +
    usage.inputAudio +
    usage.inputImage
  );
}

/** All output tokens, whatever their price. */
export function outputOf(usage: Usage): number {
  return usage.output + usage.reasoning + usage.outputAudio + usage.outputImage;
}

/** What an upstream said about usage, judged before anybody is billed by it. */
export type ReadUsage =
  | {
      readonly kind: "ok";
      readonly usage: Usage;
      /** The reported total is not the sum of input and output: worth a line in the log. */
      readonly totalDiffers: boolean;
    }
  /** Nothing, or zeros only, which some servers send instead of nothing. */
  | { readonly kind: "missing" }
  /** Figures no upstream can mean; `reason` is for the log. The local count takes their place. */
  | { readonly kind: "suspect"; readonly reason: string };

/** No single call counts more; a larger figure is a broken or hostile upstream. */
export const tokensMax = 10_000_000;

/**
 * Output tokens an honest upstream may report beyond the bytes of the answer: a token is never
 * shorter than a byte, but markup of tool calls, stop tokens and short thinking that is not
 * reported apart never arrive as text. Largest seen in recordings: 412.
 */
export const unseenTokensMax = 1_024;

/**
 * Whether an answer of `contentBytes` bytes of text, thinking and tool arguments can have cost
 * this. Only what is visible is judged: hidden thinking is legitimate at any length. False also
 * when text came and no output is counted.
 */
export function plausible(usage: Usage, contentBytes: number): boolean {
  if (contentBytes > 0 && outputOf(usage) === 0) return false;
  return usage.output <= contentBytes + unseenTokensMax;
}

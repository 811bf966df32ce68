/** What the tests ask each official SDK to do, and what they get from it. */

export type Ask = {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly stream: boolean;
  readonly prompt: string;
  /** Whether the tools are offered; their calls are answered until the answer is text. */
  readonly tools: boolean;
  /** Whether the conversation has had a turn before the prompt. */
  readonly later?: boolean;
  /** Whether a picture goes with the prompt. */
  readonly image?: boolean;
  /** Whether the answer must fit `toolSchema`. */
  readonly shaped?: boolean;
};

type Told = {
  /** The text of the last answer. */
  readonly text: string;
  /** The texts of all answers. */
  readonly said: string;
  /** The reasoning of all answers, as far as the SDK has it. */
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  /** Sums of all answers; cached tokens are part of the input. */
  readonly input: number;
  readonly output: number;
};

export type Sdk = {
  readonly name: string;
  /** The format in which it calls. */
  readonly formatId: string;
  talk(ask: Ask): Promise<Told>;
  /** Yields the words of a stream as they come; throws what the SDK raises. */
  words(ask: Ask): AsyncIterable<string>;
};

/** The tools that are offered, and what each answers. */
export const toolNames = ["find_weather", "find_time"] as const;
export const toolResult = "as scripted";
export const toolSchema = {
  type: "object" as const,
  properties: { city: { type: "string" as const }, days: { type: "integer" as const } },
  required: ["city", "days"],
  additionalProperties: false,
};

/** A picture of one pixel. */
export const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const pictureUrl = `data:image/png;base64,${picture}`;

/** What was said in the turn before the prompt. */
export const firstTurn = { asked: "Are you a model that thinks?", answered: "No, I am scripted." };

/** The largest number of answers in one conversation; more are an endless loop. */
export const turnsMax = 3;

type Mutable<Record> = { -readonly [Key in keyof Record]: Record[Key] };

export function nothingTold(): Mutable<Told> & { calls: Told["calls"][number][] } {
  return { text: "", said: "", reasoning: "", calls: [], input: 0, output: 0 };
}

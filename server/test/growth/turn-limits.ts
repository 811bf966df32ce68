/** What one turn of the relaying thread may cost. */

/** The most, in milliseconds of processor time. */
const turnMs = 100;

/**
 * The most that a body may cost above one in plain words of the same size: 5 times, and as much again
 * for noise, because the plain one is over in a few milliseconds.
 */
const plainRatioMax = 10;

/** What costs less than this, in milliseconds, is not compared with a plain body. */
const comparedMs = turnMs / 2;

/**
 * Texts that are nothing but escapes cost this much a megabyte, in milliseconds: most of it is
 * `JSON.parse`, and it grows with the bytes alone. Only they cost more than a turn, above 3 MiB.
 */
const escapesMs = 30;
const megabyte = 1024 * 1024;

type Cost = {
  readonly bytes: number;
  readonly ms: number;
  /** The same for a conversation in plain words of the same size. */
  readonly plainMs: number;
};

export function isTooLong({ bytes, ms, plainMs }: Cost): boolean {
  const megabytes = bytes / megabyte;
  if (ms > Math.max(turnMs, megabytes * escapesMs)) return true;
  return megabytes < 1 && ms > comparedMs && ms > plainMs * plainRatioMax;
}

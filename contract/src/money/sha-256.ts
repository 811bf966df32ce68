/**
 * SHA-256 as FIPS 180-4 has it. Browsers compute it themselves only on pages with HTTPS, and a
 * statement must be checked anywhere.
 */

const blockBytes = 64;

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const constants = new Uint32Array(64);
/** The same of the square roots of the first eight primes. */
const start = new Uint32Array(8);

function isPrime(number: number): boolean {
  for (let by = 2; by * by <= number; by += 1) if (number % by === 0) return false;
  return true;
}

for (let number = 2, count = 0; count < constants.length; number += 1) {
  if (!isPrime(number)) continue;
  if (count < start.length) start[count] = fraction(Math.sqrt(number));
  constants[count] = fraction(Math.cbrt(number));
  count += 1;
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

/** Returns the hex SHA-256 of a text in UTF-8. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = Uint32Array.from(start);
  const words = new Uint32Array(blockBytes);
  for (let at = 0; at < padded.length; at += blockBytes) addBlock(state, words, view, at);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** Reads a word of an array that has it. */
function of(words: Uint32Array, at: number): number {
  return words[at] ?? 0;
}

function addBlock(state: Uint32Array, words: Uint32Array, view: DataView, from: number): void {
  for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(from + at * 4);
  for (let at = 16; at < words.length; at += 1) {
    const [early, late] = [of(words, at - 15), of(words, at - 2)];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = of(words, at - 16) + first + of(words, at - 7) + second;
  }
  const round = Uint32Array.from(state);
  for (let at = 0; at < words.length; at += 1) {
    const [a, b, c] = [of(round, 0), of(round, 1), of(round, 2)];
    const [e, f, g] = [of(round, 4), of(round, 5), of(round, 6)];
    const chosen = (e & f) ^ (~e & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const spread = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = of(round, 7) + spread + chosen + of(constants, at) + of(words, at);
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most;
    round.copyWithin(1, 0, 7);
    round[4] = of(round, 4) + one;
    round[0] = one + two;
  }
  for (let at = 0; at < state.length; at += 1) state[at] = of(state, at) + of(round, at);
}

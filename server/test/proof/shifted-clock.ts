/**
 * Shifts the clock of the gateway that preloads this file by SHIFTED_CLOCK_MS milliseconds. With
 * SHIFTED_CLOCK_JUMPS it jumps between as far ahead and as far behind, every one and a half seconds.
 */

const byMs = Number(process.env["SHIFTED_CLOCK_MS"] ?? 0);
const now = Date.now;
const jumps = process.env["SHIFTED_CLOCK_JUMPS"] === "1";
const jumpMs = 1_500;
Date.now = () => {
  const ms = now();
  return jumps && Math.floor(ms / jumpMs) % 2 === 0 ? ms - byMs : ms + byMs;
};

/** Preloaded into a gateway whose clock is to be wrong by so many milliseconds. */

const byMs = Number(process.env["SHIFTED_CLOCK_MS"] ?? 0);
const now = Date.now;
Date.now = () => now() + byMs;

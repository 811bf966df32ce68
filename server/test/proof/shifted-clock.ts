/** Preloaded into a gateway to shift its clock by this many milliseconds. */

const byMs = Number(process.env["SHIFTED_CLOCK_MS"] ?? 0);
const now = Date.now;
Date.now = () => now() + byMs;

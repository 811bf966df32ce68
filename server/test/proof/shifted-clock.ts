/** Shifts the clock of the gateway that preloads this file by SHIFTED_CLOCK_MS milliseconds. */

const byMs = Number(process.env["SHIFTED_CLOCK_MS"] ?? 0);
const now = Date.now;
Date.now = () => now() + byMs;

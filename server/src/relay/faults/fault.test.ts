import { expect, test } from "bun:test";
import { fault } from "#network/answer.ts";
import { judgeTransportFault } from "./fault.ts";

test("what the gateway itself lacks is no fault of the channel, and other channels do not help", () => {
  for (const code of ["gateway-busy", "gateway-files"] as const) {
    const judged = judgeTransportFault(fault(code));
    const { countsAgainstChannel, retryable, status } = judged;
    expect([countsAgainstChannel, retryable, status]).toEqual([false, false, 503]);
  }
});

import { expect, test } from "bun:test";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { openTestHolds } from "#modules/ledger/testing/holds.ts";

const log = chargedLog({ requestId: "r1", userId: 7, tokenId: 3 });

test("given back after a re-rate, the user may spend what the balance got, and the token what it was charged", async () => {
  const { judge, store, hold, pass } = openTestHolds("whole");
  const plain = store.answer;
  for (const rerated of [15, -15, -30]) {
    store.answer = (operation) =>
      operation.type === "reverse" ? { type: "reversed", amount: 30, rerated } : plain(operation);
    const [user, token] = [judge.free("user:7"), judge.free("token:3")];
    const held = await hold({ id: `r${rerated}`, tokenLimited: true });
    await held.settle({ charge: 30, log });
    held.reverse();
    await pass(1);
    expect(judge.free("user:7")).toBe(user + rerated);
    expect(judge.free("token:3")).toBe(token);
  }
});

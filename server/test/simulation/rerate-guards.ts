/** Guards of balances that calls are charged again from. */

import type { Guard } from "./memory-guards.ts";

const debtors = "src/modules/ledger/debts/debtors.ts";

export const rerateGuards: readonly Guard[] = [
  {
    name: "what a re-rate may take no call can hold meanwhile",
    policy: "whole",
    file: debtors,
    from: "    judge.recall(account, most);\n",
    to: "",
  },
  {
    name: "what a re-rate has taken no call can hold any more, and what it has not taken every call",
    policy: "whole",
    file: debtors,
    from: "if (most + moved > 0) judge.grant(account, most + moved);",
    to: "if (most > 0) judge.grant(account, most);",
  },
];

/** Checklists of the start page, for tests. */

import type {
  SetupChecklist,
  SetupFacts,
  UserChecklist,
} from "@tollgate/contract/endpoints/checklist.ts";

/** The facts of a new installation. */
const newFacts: SetupFacts = {
  provider: { enabled: 0, proven: 0, last_test: 0, unproven_id: 0 },
  prices: { models: 0, unpriced: 0 },
  token: { count: 0 },
  call: { count: 0, quota: 0 },
  users: { open: true, quota: 0 },
  address: { server_address: "" },
  mail: { server: "" },
  second_factor: { on: false },
  backup: { dialect: "sqlite", key_file: "/data/secret.key" },
};

/** Root's checklist of a new installation, with changes. */
export function setupListWith(
  change: Partial<Omit<SetupChecklist, "facts">> & { readonly facts?: Partial<SetupFacts> },
): SetupChecklist {
  const { facts, ...rest } = change;
  return { dismissed: false, done: [], marked: {}, ...rest, facts: { ...newFacts, ...facts } };
}

/** The checklist of a new user, with changes. */
export function userListWith(change: Partial<UserChecklist>): UserChecklist {
  return { dismissed: false, tokens: 0, calls: 0, quota: 0, ...change };
}

/** Which steps of the setup checklist are done, as far as the server can see. */

import {
  dismissedMark,
  type MarkedStep,
  markedSteps,
  type SetupChecklist,
  type SetupFacts,
  type SetupStep,
  setupSteps,
} from "@tollgate/contract/endpoints/checklist.ts";

/** A mark by hand; `name` is a step's or `dismissed`. */
export type Mark = { readonly name: string; readonly marked_at: number };

/** Whether a step is done without being marked by hand. */
const isDone: { readonly [Step in SetupStep]: (facts: SetupFacts[Step]) => boolean } = {
  provider: ({ proven }) => proven > 0,
  prices: ({ models, unpriced }) => models > 0 && unpriced === 0,
  token: ({ count }) => count > 0,
  call: ({ count }) => count > 0,
  // While nobody can register, there is nothing to decide about new users.
  users: ({ open, quota }) => !open || quota > 0,
  address: ({ server_address }) => server_address !== "",
  mail: ({ server }) => server !== "",
  second_factor: ({ on }) => on,
  // The server does not see what was copied.
  backup: () => false,
};

/** Joins what the server sees with what root has marked. */
export function judgeSetup(facts: SetupFacts, marks: readonly Mark[]): SetupChecklist {
  const times = new Map(marks.map(({ name, marked_at }) => [name, marked_at]));
  const marked: Partial<Record<MarkedStep, number>> = {};
  for (const step of markedSteps) {
    const time = times.get(step);
    if (time !== undefined) marked[step] = time;
  }
  const isTicked = <Step extends SetupStep>(step: Step): boolean =>
    isDone[step](facts[step]) || Object.hasOwn(marked, step);
  return {
    dismissed: times.has(dismissedMark),
    done: setupSteps.filter((step) => isTicked(step)),
    marked,
    facts,
  };
}

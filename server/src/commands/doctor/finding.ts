/** A line of the doctor: what was looked at, how it stands, and what to do. */

export type State = "fail" | "ok" | "warn";

export type Finding = {
  readonly check: string;
  readonly state: State;
  readonly message: string;
  /** What to do; empty: nothing. */
  readonly advice: string;
};

const finding =
  (state: State) =>
  (check: string, message: string, advice = ""): Finding => ({ check, state, message, advice });

export const ok = finding("ok");
export const warn = finding("warn");
export const fail = finding("fail");

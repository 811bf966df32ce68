/** The command line of `tollgate mend-charges`. */

export type MendArguments = {
  /** Unix seconds. */
  readonly since: number;
  readonly refunds: boolean;
  /** Request ids of calls that root names, whose charge was wrong as root knows. */
  readonly calls: readonly string[];
};

/** Reads the arguments of the command; undefined: they are not right. */
export function readMendArguments(args: readonly string[]): MendArguments | undefined {
  let since = NaN;
  let refunds = false;
  const calls: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [flag, value = ""] = [args[at], args[at + 1]];
    if (flag === "--refund") refunds = true;
    else if (flag === "--since" && /^\d{4}-\d\d-\d\d$/.test(value)) {
      since = Date.parse(`${value}T00:00:00Z`) / 1_000;
      at += 1;
    } else if (flag === "--call" && value !== "" && !value.startsWith("--")) {
      calls.push(value);
      at += 1;
    } else return undefined;
  }
  return Number.isNaN(since) ? undefined : { since, refunds, calls };
}

/** Splits the `detail` of an audit entry into facts to show. */

/**
 * One fact of an audit entry. `before` null: the fact is not a change, so only `after` is shown.
 */
export type DetailFact = {
  readonly name: string;
  readonly before: string | null;
  readonly after: string;
};

type AuditDetail =
  | { readonly kind: "none" }
  | { readonly kind: "facts"; readonly facts: readonly DetailFact[] }
  /** The detail is not JSON, because the server cuts a detail that is too long. */
  | { readonly kind: "text"; readonly text: string };

export function readDetail(detail: string): AuditDetail {
  if (detail === "") return { kind: "none" };
  let parsed: unknown;
  try {
    parsed = JSON.parse(detail);
  } catch {
    return { kind: "text", text: detail };
  }
  if (!isRecord(parsed)) return { kind: "text", text: detail };
  const facts = factsOf(parsed);
  return facts.length === 0 ? { kind: "none" } : { kind: "facts", facts };
}

function factsOf(detail: Readonly<Record<string, unknown>>): DetailFact[] {
  const { before, after, ...rest } = detail;
  const change = "before" in detail && "after" in detail ? changesOf(before, after) : null;
  return [
    ...(change ?? []),
    ...Object.entries(change === null ? detail : rest).map(([name, value]): DetailFact => {
      // An array of two values stands for the value before and after the change. One of two records
      // is a list, such as the writes that a database has lost.
      if (Array.isArray(value) && value.length === 2 && !value.every(isRecord)) {
        return { name, before: show(value[0]), after: show(value[1]) };
      }
      return { name, before: null, after: show(value) };
    }),
  ];
}

function changesOf(before: unknown, after: unknown): DetailFact[] {
  if (!isRecord(before) || !isRecord(after)) {
    return [{ name: "", before: show(before), after: show(after) }];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => ({
    name,
    before: show(before[name]),
    after: show(after[name]),
  }));
}

/** Writes a value as text; missing values are shown as a dash. */
function show(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

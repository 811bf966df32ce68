/** Checks a form by its schema: gives either the value to send or the problems of each field. */

import type { z } from "zod";
import type { T } from "#i18n/t.ts";

/** What is wrong with a field; an empty `name` means the whole form. */
type Problem = { readonly name: string; readonly message: string };

type FormReading<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] };

/**
 * Checks the values of a form. Returns at most one problem for each field: the first that the
 * schema reports. Its message is the one written in the schema or, without one, a default message.
 */
export function readForm<Value>(
  schema: z.ZodType<Value>,
  values: unknown,
  t: T,
): FormReading<Value> {
  const parsed = schema.safeParse(values, { error: (issue) => ruleText(issue, t) });
  if (parsed.success) return { value: parsed.data };
  const problems = new Map<string, Problem>();
  for (const { path, message } of parsed.error.issues) {
    const name = path.length === 0 ? "" : String(path[0]);
    if (!problems.has(name)) problems.set(name, { name, message });
  }
  return { problems: [...problems.values()] };
}

/** Writes the default message for a rule of Zod, in the current language. */
function ruleText(issue: z.core.$ZodRawIssue, t: T): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined || issue.input === null) return t("ui.formRequired");
      return issue.expected === "number" ? t("ui.formInvalidNumber") : t("ui.formInvalidValue");
    case "too_small":
      if (issue.origin !== "string") return t("ui.formTooSmall", { min: String(issue.minimum) });
      return Number(issue.minimum) <= 1
        ? t("ui.formRequired")
        : t("ui.formTooShort", { min: String(issue.minimum) });
    case "too_big":
      return issue.origin === "string"
        ? t("ui.formTooLong", { max: String(issue.maximum) })
        : t("ui.formTooBig", { max: String(issue.maximum) });
    default:
      return t("ui.formInvalidValue");
  }
}

import { type UsernameFault, usernameFault } from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";

/**
 * Validates a typed username by the server's rules.
 *
 * @param kept the account's present name, which is accepted even if it breaks a rule; empty for a
 * new account.
 */
export function usernameSchema(
  texts: Readonly<Record<UsernameFault | "missing", string>>,
  kept = "",
) {
  return z
    .string()
    .trim()
    .min(1, texts.missing)
    .superRefine((name, context) => {
      const fault = name === kept ? null : usernameFault(name);
      if (fault !== null) context.addIssue({ code: "custom", message: texts[fault] });
    });
}

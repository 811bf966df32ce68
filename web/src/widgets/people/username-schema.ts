import { type UsernameFault, usernameFault } from "@tollgate/contract/users.ts";
import { z } from "zod";

/**
 * A typed username, checked as the server checks it.
 *
 * @param kept the present name, which may be kept even if it is invalid; empty: a new account.
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

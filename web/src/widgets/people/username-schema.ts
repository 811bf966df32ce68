import { type UsernameFault, usernameFault } from "@tollgate/contract/users.ts";
import { z } from "zod";

/**
 * A typed name for an account, as the server judges it.
 *
 * @param kept the name it has already, which it may keep whatever that is; empty: a new account.
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

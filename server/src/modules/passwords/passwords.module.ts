import { defineModule, type Given } from "#modules/module.ts";
import { openPasswords } from "./hashing.ts";
import { inOneForm } from "./password-text.ts";
import type { Passwords } from "./passwords.ts";

export const passwordsModule = passwordsModuleBy(openPasswords);

/** @param open creates the password hasher; tests pass a fast substitute. */
export function passwordsModuleBy(open: () => Passwords) {
  return defineModule({ needs: [], open: (_: Given) => ({ face: inOneForm(open()) }) });
}

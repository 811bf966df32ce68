import { defineModule, type Given } from "#modules/module.ts";
import { openPasswords } from "./hashing.ts";
import { inOneForm } from "./password-text.ts";
import type { Passwords } from "./passwords.ts";

export const passwordsModule = passwordsModuleBy(({ hashing }) => openPasswords(hashing));

/**
 * Makes the passwords module.
 * @param open creates the password hasher; tests pass a fast stand-in.
 */
export function passwordsModuleBy(open: (given: Given) => Passwords) {
  return defineModule({ needs: [], open: (given: Given) => ({ face: inOneForm(open(given)) }) });
}

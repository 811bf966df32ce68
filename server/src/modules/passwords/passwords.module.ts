import { defineModule, type Given } from "#modules/module.ts";
import { openPasswords } from "./hashing.ts";
import type { Passwords } from "./passwords.ts";

export const passwordsModule = passwordsModuleBy(openPasswords);

/** @param open opens what hashes the passwords; tests use a fast stand-in. */
export function passwordsModuleBy(open: () => Passwords) {
  return defineModule({ needs: [], open: (_: Given) => ({ face: open() }) });
}

/**
 * Brings passwords to one Unicode form before they are hashed, because keyboards compose accents in
 * different ways.
 */

import { Refusal } from "#base/refusal.ts";
import type { Passwords } from "./passwords.ts";

/** Wraps a password hasher, so that it hashes and verifies passwords in the Unicode form NFC. */
export function inOneForm(inner: Passwords): Passwords {
  return {
    hash: async (password) => await inner.hash(password.normalize("NFC")),
    async hashChosen(password) {
      // Some programs end a text at NUL, so the characters after it would protect nothing.
      if (password.includes("\0")) {
        throw new Refusal("invalid-input", "密码不能含有空字符", { field: "password" });
      }
      return await inner.hashChosen(password.normalize("NFC"));
    },
    async verify(password, hash) {
      const composed = password.normalize("NFC");
      if (await inner.verify(composed, hash)) return true;
      // An older hash may be of the password as it was typed, which was not in the form NFC.
      return composed !== password && (await inner.verify(password, hash));
    },
  };
}

/** Keyboards compose accents in different ways; a password is the same in all of them. */

import { Refusal } from "#base/refusal.ts";
import type { Passwords } from "./passwords.ts";

/** Hashes and verifies passwords in the form NFC. */
export function inOneForm(inner: Passwords): Passwords {
  return {
    hash: async (password) => await inner.hash(password.normalize("NFC")),
    async hashChosen(password) {
      // Some programs end a text there, so the rest would protect nothing.
      if (password.includes("\0")) {
        throw new Refusal("invalid-input", "密码不能含有空字符", { field: "password" });
      }
      return await inner.hashChosen(password.normalize("NFC"));
    },
    async verify(password, hash) {
      const composed = password.normalize("NFC");
      if (await inner.verify(composed, hash)) return true;
      // An older hash may be of the password as it was typed.
      return composed !== password && (await inner.verify(password, hash));
    },
  };
}

/** Makes salts, one for each row that is hashed: random bytes are taken from the system by the page. */

import { randomFillSync } from "node:crypto";

const saltBytes = 16;

const page = Buffer.alloc(saltBytes * 256);
let used = page.length;

/** Returns 32 hex digits that nobody can guess, and that were never returned before. */
export function newSalt(): string {
  if (used === page.length) {
    randomFillSync(page);
    used = 0;
  }
  used += saltBytes;
  return page.toString("hex", used - saltBytes, used);
}

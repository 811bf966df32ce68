/**
 * What goes through texts of clients and upstreams: one line each, sorted. Calls use these from here
 * alone, and `server/test/growth/` measures each by texts that are as hard as anybody can make them.
 */

import { checkWords } from "./admission/words.ts";
import { cutQuotes } from "./faults/cut-quotes.ts";
import { sayBadStatus } from "./faults/fault-words.ts";
import { formBoundary, readForm } from "./admission/multipart.ts";
import { scrubMessage, scrubWord } from "./faults/scrub.ts";

export const cleaners = {
  checkWords,
  cutQuotes,
  formBoundary,
  readForm,
  sayBadStatus,
  scrubMessage,
  scrubWord,
} as const;

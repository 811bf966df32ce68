/**
 * What goes through texts of clients and upstreams: one line each, sorted. Calls use these from here
 * alone, and `server/test/growth/` measures each by texts that are as hard as anybody can make them.
 */

import { checkWords } from "./guards/words.ts";
import { geminiReader, readSetup } from "./realtime/gemini-messages.ts";
import { openaiReader } from "./realtime/openai-messages.ts";
import { cutQuotes } from "./stages/cut-quotes.ts";
import { sayBadStatus } from "./stages/fault-words.ts";
import { formBoundary, readForm } from "./stages/multipart.ts";
import { scrubMessage, scrubWord } from "./stages/scrub.ts";

export const cleaners = {
  checkWords,
  cutQuotes,
  formBoundary,
  geminiReader,
  openaiReader,
  readForm,
  readSetup,
  sayBadStatus,
  scrubMessage,
  scrubWord,
} as const;

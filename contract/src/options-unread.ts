/**
 * Options that are kept and answered, because programs of the family send and ask for them, but
 * that change nothing here: why. `server/src/tidy.test.ts` keeps the list true.
 */

import type { OptionName } from "./options.ts";

const because = {
  books: "the log's rows and roll-ups are part of the books, written with the charge",
  drawing: "drawing is not relayed",
  formats: "this format is not spoken to an upstream",
  payment: "nothing is paid online",
  texts: "no texts of calls are kept",
  unknown: "nothing in the family reads it either",
} as const;

export const unreadOptions = {
  CustomCallbackAddress: because.payment,
  DataExportInterval: because.books,
  FileDownloadPermission: because.unknown,
  FileUploadPermission: because.unknown,
  ImageDownloadPermission: because.unknown,
  ImageUploadPermission: because.unknown,
  LogConsumeEnabled: because.books,
  LogContentEnabled: because.texts,
  LogContentMaxBytes: because.texts,
  MjAccountFilterEnabled: because.drawing,
  MjActionCheckSuccessEnabled: because.drawing,
  MjForwardUrlEnabled: because.drawing,
  MjModeClearEnabled: because.drawing,
  StopOnSensitiveEnabled: because.unknown,
  StreamCacheQueueLength: because.unknown,
  TopupGroupRatio: because.payment,
  "claude.default_max_tokens": because.formats,
  "claude.model_headers_settings": because.formats,
  "claude.thinking_adapter_budget_tokens_percentage": because.formats,
  "claude.thinking_adapter_enabled": because.formats,
  "gemini.safety_settings": because.formats,
  "gemini.version_settings": because.formats,
  "global.pass_through_request_enabled": because.formats,
} as const satisfies Partial<Record<OptionName, string>>;

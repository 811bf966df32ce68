/**
 * Options that are stored and answered because one-api clients send and read them, but that have no
 * effect here, with the reason. `server/src/tidy.test.ts` keeps the list true.
 */

import type { OptionName } from "./options.ts";

const because = {
  ledger: "log rows and roll-ups are part of the ledger, written with the charge",
  drawing: "drawing is not relayed",
  formats: "this format is not spoken to an upstream",
  payment: "nothing is paid online",
  texts: "no texts of calls are kept",
  unknown: "no one-api client is known to read it either",
} as const;

export const unreadOptions = {
  CustomCallbackAddress: because.payment,
  DataExportInterval: because.ledger,
  FileDownloadPermission: because.unknown,
  FileUploadPermission: because.unknown,
  ImageDownloadPermission: because.unknown,
  ImageUploadPermission: because.unknown,
  LogConsumeEnabled: because.ledger,
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

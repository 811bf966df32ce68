/**
 * Options that are stored and answered because one-api clients send and read them, but that have no
 * effect here, with the reason. `server/src/tidy.test.ts` keeps the list true.
 */

import type { OptionName } from "./options.ts";

/**
 * Why an option has no effect. The settings screen has a text for each reason beside the disabled
 * control.
 */
const because = {
  /**
   * For options that turn the log off: log rows are part of the ledger, so they are always written.
   */
  always: "always",
  /** For options of a wire format that the gateway does not use towards upstreams. */
  formats: "formats",
  /** For options that no known one-api client reads either. */
  unknown: "unknown",
} as const;

export type UnreadReason = keyof typeof because;

export const unreadReasons = Object.values(because);

export const unreadOptions = {
  FileDownloadPermission: because.unknown,
  FileUploadPermission: because.unknown,
  ImageDownloadPermission: because.unknown,
  ImageUploadPermission: because.unknown,
  LogConsumeEnabled: because.always,
  StopOnSensitiveEnabled: because.unknown,
  StreamCacheQueueLength: because.unknown,
  "claude.default_max_tokens": because.formats,
  "claude.model_headers_settings": because.formats,
  "claude.thinking_adapter_budget_tokens_percentage": because.formats,
  "claude.thinking_adapter_enabled": because.formats,
  "gemini.safety_settings": because.formats,
  "gemini.version_settings": because.formats,
  "global.pass_through_request_enabled": because.formats,
} as const satisfies Partial<Record<OptionName, UnreadReason>>;

/**
 * What an upstream's error means, whatever the vendor calls it: one table that routing, automatic
 * disabling and the words for administrators read.
 *
 * Sources: the vendors' documents on errors, as read on 2026-11-23, and the recorded errors in
 * test/fixtures.
 */

import type { FaultMeaning } from "#canonical/event.ts";
import type { ErrorBody } from "#formats/format.ts";

type Entry = {
  readonly meaning: FaultMeaning;
  /** Statuses that mean it, if no code or type says otherwise. */
  readonly statuses?: readonly number[];
  /** Codes and types, in lower case. */
  readonly words?: readonly string[];
  /**
   * Matches messages. A message may quote the request, so it decides only what a client may bring
   * about: it never proves that a channel is at fault.
   */
  readonly message?: RegExp;
};

/** The first entry that matches counts. */
const table: readonly Entry[] = [
  {
    meaning: "money",
    statuses: [402],
    words: [
      "account_overdue",
      "accountoverdueerror",
      "arrearage",
      "billing_error",
      "billing_not_active",
      "exceeded_current_quota_error",
      "insufficient_balance",
      "insufficient_quota",
      "insufficient_user_quota",
      "payment_required",
      "resourceinsufficient.chargeresourceexhaust",
      "resourceunavailable.inarrears",
      // Zhipu; MiniMax; Xunfei.
      "1113",
      "1008",
      "11200",
    ],
    message: /insufficient (balance|credit|fund)|credit balance is too low|余额不足|欠费/i,
  },
  {
    meaning: "key",
    statuses: [401],
    words: [
      "access_terminated",
      "account_deactivated",
      "api_key_invalid",
      "authentication_error",
      "authenticationerror",
      "authfailure.secretidnotfound",
      "authfailure.signaturefailure",
      "expiredtokenexception",
      "invalid_api_key",
      "invalid_authentication_error",
      "invalidapikey",
      "unauthenticated",
      "unauthorized",
      "unrecognizedclientexception",
      // Zhipu and MiniMax; Baidu; Xunfei; Coze.
      "1004",
      "110",
      "111",
      "10015",
      "10313",
      "4100",
    ],
    message:
      /(incorrect|invalid|not valid).{0,40}api.?key|api.?key.{0,40}(incorrect|invalid|not valid)|security token included in the request is (invalid|expired)/is,
  },
  {
    meaning: "context",
    words: [
      "context_length_exceeded",
      "exceed_context_size_error",
      "too_many_tokens",
      // Xunfei; Baidu.
      "10907",
      "336007",
      "336103",
    ],
    message:
      /(maximum|model's) context (length|window)|context (length|window) (exceeded|of this model)|prompt is too long|input is too long|too many (input )?tokens: |range of input length/i,
  },
  {
    meaning: "refused",
    words: [
      "content_filter",
      "content_policy_violation",
      "data_inspection_failed",
      "datainspectionfailed",
      "moderation_blocked",
      "responsibleaipolicyviolation",
      // Zhipu; MiniMax; Xunfei.
      "1301",
      "1026",
      "10013",
      "10014",
      "10019",
      "10021",
    ],
  },
  {
    meaning: "model",
    statuses: [404],
    words: [
      "deploymentnotfound",
      "invalidparametervalue.model",
      "model_not_found",
      "modelnotfound",
      "not_found_error",
    ],
  },
  {
    meaning: "rate",
    statuses: [429],
    words: [
      "limitexceeded",
      "quota_exceeded",
      "rate_limit_error",
      "rate_limit_exceeded",
      "rate_limit_reached_error",
      "requestlimitexceeded",
      "resource_exhausted",
      "throttling",
      "throttling.allocationquota",
      "throttling.ratequota",
      "throttlingexception",
      "too_many_requests",
      // Zhipu; Baidu; Xunfei; Coze.
      "1302",
      "1305",
      "18",
      "336501",
      "336502",
      "10006",
      "10007",
      "11201",
      "11202",
      "11203",
      "4013",
    ],
  },
  {
    meaning: "forbidden",
    statuses: [403],
    // The last is Xunfei's.
    words: ["forbidden", "permission_error", "10016"],
  },
  {
    meaning: "overloaded",
    statuses: [500, 502, 503, 504, 529],
    words: [
      "engine_overloaded_error",
      "internal_server_error",
      "internalservererror",
      "internalserverexception",
      "modelstreamerrorexception",
      "overloaded",
      "overloaded_error",
      "server_error",
      "serviceunavailableexception",
      "unavailable",
      // Xunfei.
      "10008",
      "10009",
      "10010",
      "10011",
      "10012",
      "10110",
      "10222",
    ],
  },
  {
    meaning: "request",
    statuses: [400, 405, 413, 415, 422],
    words: [
      "invalidparameter",
      "invalidparametervalue",
      "missingparameter",
      "unknownparameter",
      // Xunfei; Baidu; Coze.
      "10003",
      "10004",
      "10005",
      "336001",
      "336002",
      "336003",
      "4000",
    ],
  },
];

/** A meaning, and whether more than a message says so. */
type Found = { readonly meaning: FaultMeaning; readonly isProven: boolean };

export function meaningOf(status: number, error: ErrorBody | undefined): Found {
  const words = [error?.code ?? "", error?.type ?? ""].map((word) => word.toLowerCase());
  const byWord = table.find((entry) => entry.words?.some((word) => words.includes(word)));
  // Few codes are numbers, and the same number means other things elsewhere: a status decides more.
  const isVague =
    byWord !== undefined && !words.some((word) => /[a-z]/.test(word) && has(byWord, word));
  const said = status === 200 ? busyStatusIn(words) : status;
  const byStatus = table.find((entry) => entry.statuses?.includes(said));
  const isPlain = status === 400 || status === 200 || status === 429;
  if (byWord !== undefined && (!isVague || isPlain)) {
    return { meaning: byWord.meaning, isProven: true };
  }
  const message = error?.message ?? "";
  const byMessage =
    isPlain || status === 404 || status === 403
      ? table.find((entry) => entry.message?.test(message))
      : undefined;
  if (byMessage !== undefined) return { meaning: byMessage.meaning, isProven: false };
  return { meaning: byStatus?.meaning ?? "other", isProven: byStatus !== undefined };
}

/**
 * Returns the status that an error inside a 200 has as its code, as OpenRouter's have, if it says
 * that the upstream has too much to do; or else 200. Other numbers are codes of many vendors.
 */
function busyStatusIn(words: readonly string[]): number {
  const status = words.find((word) => /^(?:429|50[0234]|529)$/.test(word));
  return status === undefined ? 200 : Number(status);
}

function has({ words = [] }: Entry, word: string): boolean {
  return words.includes(word);
}

/** Whether the channel cannot serve, and not the call is wrong. */
const channelMeanings: ReadonlySet<FaultMeaning> = new Set(["forbidden", "key", "model", "money"]);

export function isChannelFault(meaning: FaultMeaning): boolean {
  return channelMeanings.has(meaning);
}

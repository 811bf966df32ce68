/** Describes a log row as text, in the user's language. */

import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { readEnding } from "@tollgate/contract/logs/endings.ts";
import type { T } from "#i18n/t.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import type { LogView } from "./log-view.ts";

export function describeLog(row: LogView, t: T): string {
  return describe(row, t, "logs.ratioLine");
}

/** A short description for the last column, in which each ratio has a label of one word. */
export function describeShort(row: LogView, t: T): string {
  return describe(row, t, "logs.ratioShort");
}

function describe(row: LogView, t: T, ratios: "logs.ratioLine" | "logs.ratioShort"): string {
  const { type, content, details } = row;
  if (type !== logType.enum.consumption) return sayContent(content, t);
  const { model_price: price = -1, model_ratio: model, group_ratio: group = 1 } = details;
  const note = noteOf(content);
  const ended = note === "" ? "" : ` · ${sayContent(note, t)}`;
  if (price >= 0) return t("logs.priceLine", { price, group }) + ended;
  if (model === undefined) return sayContent(content, t);
  const completion = details.completion_ratio ?? 1;
  return (
    t(ratios, { model, completion, group }) +
    longText(details, t) +
    tierText(details, t) +
    hourText(details, t) +
    searchText(details, t) +
    ended
  );
}

/** Says that the ratios were multiplied because the prompt was long; empty: it was not. */
function longText({ long_context: long }: LogView["details"], t: T): string {
  if (long === undefined) return "";
  const above = long.above.toLocaleString("en-US");
  return ` · ${t("logs.longLine", { above, ratio: long.ratio, completion: long.completion_ratio })}`;
}

/** Says that the ratios were multiplied because of the service tier; empty: they were not. */
function tierText({ service_tier: shown }: LogView["details"], t: T): string {
  if (shown === undefined) return "";
  const { tier, ratio, cache_ratio: cache, completion_ratio: completion } = shown;
  return ` · ${t("logs.tierLine", { tier, ratio, cache, completion })}`;
}

/** Says that the ratios were multiplied because of the hour; empty: they were not. */
function hourText({ hour_price: hours }: LogView["details"], t: T): string {
  return hours === undefined ? "" : ` · ${t("logs.hourLine", { ...hours })}`;
}

/** Says how many web searches the provider made; empty: none. */
function searchText({ web_search_call_count: searches = 0 }: LogView["details"], t: T): string {
  return searches === 0 ? "" : ` · ${t("logs.searchLine", { searches: String(searches) })}`;
}

/**
 * The parts of a row's text that the screen shows in another form, as figures or badges. The server
 * writes that text in Chinese.
 */
const shownElsewhere =
  /^(模型倍率|模型价格|模型固定价格|补全倍率|缓存倍率|分组倍率|长上下文|服务等级|时段|联网搜索|每千次|(用量|输出)由网关统计)/;

/**
 * Returns a row's text without the parts of `shownElsewhere`, such as the reason why an answer is
 * incomplete.
 */
function noteOf(content: string): string {
  return content
    .split("，")
    .filter((part) => !shownElsewhere.test(part))
    .join("，");
}

/** Says why a call failed or broke off, without the ratios that the row of a charged one begins with. */
export function sayWhy(content: string, t: T): string {
  return sayContent(noteOf(content), t);
}

/**
 * Translates the texts that the gateway writes into the log; others, such as an upstream's error
 * message, stay as they are.
 */
export function sayContent(text: string, t: T): string {
  const known: Readonly<Record<string, string>> = {
    上游中断: t("logs.endBroken"),
    "额度不足，输出中止": t("logs.endCut"),
    客户端断开: t("logs.endLeft"),
    "服务重启，输出中止": t("logs.endStopped"),
    "网关中断，未扣费": t("logs.endInterrupted"),
    模型测试: t("logs.modelTest"),
  };
  const status = plainStatus.exec(text)?.[1];
  if (status !== undefined) return t("logs.badStatus", { status });
  return (Object.hasOwn(known, text) ? known[text] : undefined) ?? showMessage(text, t);
}

/** What clients are told of an upstream's error that says nothing else, as other gateways do. */
const plainStatus = /^bad response status code (\d{3})$/;

/** Says an error's code in words; one that is not the gateway's own stays as it is. */
function codeText(code: string, t: T): string {
  const known: Readonly<Record<string, string>> = {
    bad_response: t("logs.codeUnread"),
    bad_response_status_code: t("logs.codeStatus"),
    billing_unavailable: t("logs.codeBilling"),
    call_stopped: t("logs.codeStopped"),
    content_filter: t("logs.codeFiltered"),
    do_request_failed: t("logs.codeUnreached"),
    insufficient_quota: t("logs.codeQuota"),
    insufficient_user_quota: t("logs.codeQuota"),
    internal_error: t("logs.codeInternal"),
    interrupted: t("logs.codeInterrupted"),
    moderation_blocked: t("logs.codeFiltered"),
    pre_consume_token_quota_failed: t("logs.codeTokenQuota"),
    quota_per_call_exceeded: t("logs.codePerCall"),
    rate_limit_exceeded: t("logs.codeRate"),
    sensitive_words_detected: t("logs.codeWords"),
    server_overloaded: t("logs.codeBusy"),
    shutting_down: t("logs.codeEnding"),
    spend_limit_exceeded: t("logs.codeSpend"),
    stream_interrupted: t("logs.codeStream"),
    token_budget_exceeded: t("logs.codeBudget"),
    token_disabled: t("logs.codeToken"),
    unknown: t("logs.typeFailure"),
    upstream_unavailable: t("logs.codeUnavailable"),
    user_disabled: t("logs.codeUser"),
    user_in_debt: t("logs.codeDebt"),
  };
  return (Object.hasOwn(known, code) ? known[code] : undefined) ?? code;
}

/** Says how calls have ended: all of an ending, or only its first words. */
export function endingText(text: string, t: T): string {
  const { finish, status, code } = readEnding(text);
  switch (finish) {
    case "complete":
      return t("logs.endComplete");
    case "broken":
      return t("logs.endBroken");
    case "cut":
      return t("logs.endCut");
    case "left":
      return t("logs.endLeft");
    case "stopped":
      return t("logs.endByGateway");
    case "failed":
      if (status === 0) return code === "" ? t("logs.typeFailure") : codeText(code, t);
      return code === ""
        ? `${t("logs.typeFailure")} ${status}`
        : `${codeText(code, t)} (${status})`;
  }
}

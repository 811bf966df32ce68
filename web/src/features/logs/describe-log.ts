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
  return (Object.hasOwn(known, text) ? known[text] : undefined) ?? showMessage(text, t);
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
      if (status === 0) return code === "" ? t("logs.typeFailure") : code;
      return code === "" ? `${t("logs.typeFailure")} ${status}` : `${code} (${status})`;
  }
}

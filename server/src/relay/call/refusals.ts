/**
 * Every reason to refuse a call, one function each. One-api compatible clients compare statuses and
 * texts, so these are fixed, and tests check them.
 */

import type { Modality } from "#canonical/modality.ts";
import type { HoldAnswer } from "#ports/hold.ts";
import { CallRefusal } from "./call-refusal.ts";

export const noKey = () => new CallRefusal(401, "invalid_api_key", "未提供令牌");
export const keyNotInQuery = () =>
  new CallRefusal(
    401,
    "invalid_api_key",
    "此接口不接受地址中的 key 参数，请用 Authorization 请求头发送令牌",
  );
export const twoKeys = () => new CallRefusal(400, "ambiguous_api_key", "请求中有两个不同的密钥");
export const unknownKey = () => new CallRefusal(401, "invalid_api_key", "无效的令牌");
export const tooManyUnknownKeys = (retryAfterSeconds: number) =>
  new CallRefusal(429, "rate_limit_exceeded", "无效令牌的请求次数过多，请稍后再试", {
    retryAfterSeconds,
  });
/** Refuses a token whose stored status says that its quota is used up, before any quota is held. */
export const tokenExhausted = (masked: string) =>
  new CallRefusal(401, "token_exhausted", `该令牌额度已用尽 [${masked}]`);
/** Refuses a token that has not even the `needed` quota of the smallest call left. */
export const tokenNowExhausted = (masked: string, rest: number, needed: number) =>
  new CallRefusal(
    401,
    "token_exhausted",
    rest === 0
      ? `[${masked}] 该令牌额度已用尽`
      : `[${masked}] 该令牌额度已用尽，剩余额度: ${rest}, 最小预扣费额度: ${needed}`,
  );
export const tokenExpired = () => new CallRefusal(401, "token_expired", "该令牌已过期");
export const keyReplaced = () =>
  new CallRefusal(401, "key_replaced", "该密钥已被新密钥取代，请改用新密钥");
export const tokenUnusable = () => new CallRefusal(401, "token_disabled", "该令牌状态不可用");
export const userBanned = () => new CallRefusal(403, "user_disabled", "用户已被封禁");
/** `retry-after` in seconds for a user who is being moved here. */
const movingRetrySeconds = 60;
/** Refuses a user whose balance may still be spent at the gateway that the user comes from. */
export const userMoving = () =>
  new CallRefusal(503, "moving", "账户正在从另一个网关迁入，请稍后再试", {
    retryAfterSeconds: movingRetrySeconds,
  });
export const channelNotForUsers = () =>
  new CallRefusal(403, "channel_not_allowed", "普通用户不支持指定渠道");
export const addressNotAllowed = () =>
  new CallRefusal(403, "ip_not_allowed", "您的 IP 不在令牌允许访问的列表中");
export const addressDenied = () => new CallRefusal(403, "ip_denied", "您的 IP 在令牌的黑名单中");
/** `text`: the token's own words; empty: the usual ones. */
export const tooManyByToken = (
  { seconds, most, text }: { seconds: number; most: number; text: string },
  retryAfterSeconds: number,
) =>
  new CallRefusal(
    429,
    "rate_limit_exceeded",
    text === "" ? `该令牌 ${seconds} 秒内最多请求 ${most} 次，请稍后再试` : text,
    { retryAfterSeconds },
  );
export const tooManyCalls = (minutes: number, total: number, retryAfterSeconds: number) =>
  new CallRefusal(
    429,
    "rate_limit_exceeded",
    `您已达到总请求数限制：${minutes}分钟内最多请求${total}次，包括失败次数，请检查您的请求是否正确`,
    { retryAfterSeconds },
  );
export const tooManySuccesses = (minutes: number, most: number, retryAfterSeconds: number) =>
  new CallRefusal(
    429,
    "rate_limit_exceeded",
    `您已达到请求数限制：${minutes}分钟内最多请求${most}次`,
    { retryAfterSeconds },
  );

/**
 * `retry-after` in seconds for a caller that has too many calls in progress. Short, because any of
 * these calls may end soon.
 */
const atOnceRetrySeconds = 1;
const tooManyAtOnce = (message: string) =>
  new CallRefusal(429, "rate_limit_exceeded", message, { retryAfterSeconds: atOnceRetrySeconds });
export const tooManyAtOnceByUser = (most: number) =>
  tooManyAtOnce(
    `您同时进行的调用最多 ${most} 个，请等待其中一个结束；this user may have at most ${most} calls in progress at once, wait for one to end`,
  );
export const tooManyAtOnceByToken = (most: number) =>
  tooManyAtOnce(
    `该令牌同时进行的调用最多 ${most} 个，请等待其中一个结束；this API key may have at most ${most} calls in progress at once, wait for one to end`,
  );

export const tooManyQueries = (retryAfterSeconds: number) =>
  new CallRefusal(429, "rate_limit_exceeded", "请求次数过多，请稍后再试！", { retryAfterSeconds });

export const groupNotUsable = (group: string) =>
  new CallRefusal(403, "group_not_allowed", `令牌分组 ${group} 已被禁用`);
export const groupGone = (group: string) =>
  new CallRefusal(403, "group_not_allowed", `分组 ${group} 已被弃用`);
export const unknownChannel = () => new CallRefusal(400, "invalid_channel_id", "无效的渠道 Id");
export const channelDisabled = () => new CallRefusal(403, "channel_disabled", "该渠道已被禁用");
export const modelNotInToken = (model: string) =>
  new CallRefusal(403, "model_not_allowed", `该令牌无权访问模型 ${model}`);
/**
 * Refuses a model for which the group has no channel, but other groups have one. One-api compatible
 * clients compare this text.
 */
export const modelNotForGroup = () =>
  new CallRefusal(403, "model_not_allowed", "Your group is not authorized to use this model");
/** Refuses a session of an API whose clients name the model only in their first message. */
export const noLiveModel = () =>
  new CallRefusal(403, "model_not_allowed", "该令牌没有可用的实时模型");
const noChannelText = (group: string, model: string): string =>
  `当前分组 ${group} 下对于模型 ${model} 无可用渠道`;
/** Refuses a model whose channels are all off at present. */
export const noChannel = (group: string, model: string) =>
  new CallRefusal(503, "model_not_available", noChannelText(group, model));
/** Refuses a model that no group has, which no client should ask for again. */
export const unknownModel = (group: string, model: string) =>
  new CallRefusal(404, "model_not_found", noChannelText(group, model), {
    type: "invalid_request_error",
    param: "model",
  });
/** Refuses a kind of call that none of the model's channels can answer, now or later. */
export const notServed = (model: string, modality: Modality) =>
  new CallRefusal(400, "unsupported_request", `模型 ${model} 的渠道都不支持此类请求：${modality}`, {
    param: "model",
  });
export const noPrice = (model: string) =>
  new CallRefusal(
    403,
    "model_price_error",
    `模型 ${model} 倍率或价格未配置，请联系管理员设置；model ${model} has no price, ask the administrator to set one`,
  );

export const noCallPrice = (model: string) =>
  new CallRefusal(403, "model_price_error", `模型 ${model} 未配置按次价格，请联系管理员设置`);

export const userQuotaTooLow = (available: number, needed: number) =>
  new CallRefusal(
    403,
    "insufficient_user_quota",
    `user quota is not enough, 用户剩余额度: ${available}, 需要预扣费额度: ${needed}`,
  );
/** Refuses a call because money went back whose quota the user had spent already. */
export const userInDebt = (debt: number) =>
  new CallRefusal(403, "user_in_debt", `账户欠费额度: ${debt}，请先充值还清`);
export const tokenQuotaTooLow = (available: number, needed: number) =>
  new CallRefusal(
    403,
    "pre_consume_token_quota_failed",
    `token quota is not enough, 令牌剩余额度: ${available}, 需要预扣费额度: ${needed}`,
  );
/** Refuses a call because the user's or all users' calls have cost as much as root allows. */
export const spendsTooMuch = (limit: Extract<HoldAnswer, { kind: "over-limit" }>) => {
  const { by, most, retryAfterSeconds } = limit;
  const text =
    by === "user"
      ? `您的调用每小时消费上限: ${most}，已达到上限，请稍后再试`
      : `网关每分钟消费上限: ${most}，已达到上限，请稍后再试`;
  return new CallRefusal(429, "spend_limit_exceeded", text, { retryAfterSeconds });
};
const windowNames = { day: "日", week: "周", month: "月" } as const;
/** Refuses a call that the token's budget of a window does not cover, and says when it resets. */
export const budgetTooLow = (
  { available, resetsAt, window }: Extract<HoldAnswer, { kind: "over-budget" }>,
  needed: number,
) =>
  new CallRefusal(
    403,
    "token_budget_exceeded",
    `该令牌的${windowNames[window]}预算剩余: ${available}, 需要预扣费额度: ${needed}，预算将于 ${isoTime(resetsAt)} 重置`,
  );
/** RFC 3339 in UTC, to the second. */
const isoTime = (seconds: number): string =>
  new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
export const callTooExpensive = (most: number, needed: number) =>
  new CallRefusal(
    403,
    "quota_per_call_exceeded",
    `单次调用额度上限: ${most}, 该请求最多可能消耗: ${needed}，请减小 max_tokens 或输入长度`,
  );
/** `retry-after` in seconds while the database cannot commit. */
export const storeRetrySeconds = 5;
export const storeUnavailable = () =>
  new CallRefusal(503, "billing_unavailable", "计费服务暂不可用，请稍后再试", {
    retryAfterSeconds: storeRetrySeconds,
  });
/** Refuses a realtime session that no channel's upstream accepted. */
export const upstreamUnreachable = () => new CallRefusal(502, "upstream_error", "请求上游地址失败");
/** `retry-after` in seconds for calls refused by load shedding. */
const rushRetrySeconds = 1;
/** @param options `rests`: whether the connection rests afterwards; see `http/resting.ts`. */
export const tooBusy = ({ rests }: { readonly rests: boolean }) =>
  new CallRefusal(503, "server_overloaded", "服务繁忙，请稍后再试", {
    retryAfterSeconds: rushRetrySeconds,
    rests,
  });
/** Refuses a call of a process that is stopping; another node, or the next process, takes it. */
export const shuttingDown = () =>
  new CallRefusal(503, "shutting_down", "服务正在停止，请稍后重试", {
    retryAfterSeconds: rushRetrySeconds,
  });
/** Answers a call that failed by a bug in the gateway; the program's log has the details. */
export const brokenByUs = () =>
  new CallRefusal(500, "internal_error", "服务器内部错误，请稍后再试");

/** Ends a WebSocket for responses, of which a node has no more. */
export const socketsOff = () =>
  new CallRefusal(
    503,
    "websocket_off",
    "WebSockets are turned off here: send the request with POST",
  );
/** The code is OpenAI's: clients open another WebSocket. */
export const socketTooOld = (minutes: number) =>
  new CallRefusal(
    400,
    "websocket_connection_limit_reached",
    `Responses websocket connection limit reached (${minutes} minutes). Create a new websocket connection to continue.`,
  );
export const tooManyWaiting = (most: number) =>
  new CallRefusal(429, "too_many_waiting", `more than ${most} responses wait on this connection`);
export const tooManySockets = (most: number) =>
  new CallRefusal(
    429,
    "too_many_websockets",
    `you have ${most} open WebSockets, which is the most`,
  );

export const bodyTooLarge = (bytesMax: number) =>
  new CallRefusal(
    413,
    "request_too_large",
    `Invalid request, the body is larger than ${bytesMax} bytes (请求体过大)`,
  );
/** Refuses what arrives while too much of all callers is unfinished. */
export const tooMuchUnfinished = () => tooBusy({ rests: false });
/** Refuses what arrives while too much of the same user is. */
export const tooMuchUnfinishedByUser = () =>
  new CallRefusal(429, "rate_limit_exceeded", "您有过多尚未传完的请求，请稍后再试", {
    retryAfterSeconds: rushRetrySeconds,
  });
export const bodyTooSlow = () =>
  new CallRefusal(408, "request_timeout", "Invalid request, the body arrives too slowly");
export const bodyUnreadable = (reason: string) =>
  new CallRefusal(400, "invalid_request", `Invalid request, ${reason}`);
/**
 * Refuses a body that the format's `readRequest` found invalid: `param` names the field at fault.
 */
export const bodyRefused = (code: string, param: string, message: string) =>
  new CallRefusal(400, code, param === "" ? `Invalid request, ${message}` : message, { param });
/** Refuses to continue an answer that is not kept here, or not any more. */
export const answerNotKept = (param: string) =>
  bodyRefused(
    "previous_response_not_found",
    param,
    "no response of yours with this id is kept here: send the whole conversation as input",
  );
/** Refuses the same where no answers are kept. */
export const answersNotKept = (param: string) =>
  bodyRefused(
    "unsupported_parameter",
    param,
    `${param} is not available: this gateway keeps no responses, so send the whole conversation as input`,
  );
/** Refuses a call that only one upstream can go on with, where the call may not go. */
export const issuerGone = (param: string) =>
  bodyRefused(
    "previous_response_not_found",
    param,
    "the upstream that began this conversation is not available to you: send the whole conversation as input",
  );
/**
 * Refuses a call that names what an upstream keeps, and that no answer has given to the caller: it
 * may be another user's.
 */
export const idNotGiven = (param: string) =>
  bodyRefused(
    idCodes.get(param) ?? "id_not_yours",
    param,
    `${param} names something that this gateway has not given to you. Send the content itself in the request instead, or ask the administrator, who can turn on "Ids are shared" for the channel (此 ID 不是本网关给您的，请直接发送内容，或请管理员为渠道打开“共享上游 ID”)`,
  );
/** The codes of OpenAI, by which clients know that they have to send the whole conversation. */
const idCodes: ReadonlyMap<string, string> = new Map([
  ["previous_response_id", "previous_response_not_found"],
]);
export const tooManyIds = (most: number) =>
  bodyRefused("too_many_ids", "", `the request names more than ${most} ids`);
export const sensitiveWords = () =>
  new CallRefusal(400, "sensitive_words_detected", "请求内容包含敏感词，请修改后重试");
export const encodingUnknown = (encoding: string) =>
  new CallRefusal(
    415,
    "unsupported_content_encoding",
    `Invalid request, content-encoding ${encoding} is not supported; use gzip, br, deflate or none`,
  );
export const wrongMediaType = () =>
  new CallRefusal(415, "unsupported_media_type", "Invalid request, the body must be JSON");

/** The functions below refuse playground calls, which have no key, so their texts mention none. */
export const modelRequired = () =>
  new CallRefusal(400, "model_required", "请选择模型", { param: "model" });
export const groupNotOpen = () =>
  new CallRefusal(403, "group_not_allowed", "无权访问该分组", { param: "group" });
export const sessionRequired = () =>
  new CallRefusal(403, "session_required", "请登录控制台后使用，不接受 access token");
export const noPlaygroundChannel = (message: string) =>
  new CallRefusal(500, "get_playground_channel_failed", message);

/** From here on, refusals of the demo's calls by visitors. */
export const demoNotReady = () =>
  new CallRefusal(503, "demo_not_ready", "演示账户尚未就绪，请稍后再试");
export const questionInvalid = (max: number) =>
  new CallRefusal(400, "invalid_question", `请输入 1 到 ${max} 个字符的问题`, { param: "content" });
export const demoLimited = (retryAfterSeconds: number) =>
  new CallRefusal(429, "rate_limited", `演示调用过于频繁，请在 ${retryAfterSeconds} 秒后再试`, {
    retryAfterSeconds,
  });

/**
 * Sent instead of an answer whose charge could not be committed in time. The call is not charged.
 */
export const answerWithheld = {
  type: "new_api_error",
  code: "billing_unavailable",
  message: "计费服务暂不可用，本次调用不收费，请稍后再试",
} as const;

/** The errors below are sent as events to clients whose stream has begun. */
export const settleTooSlow = {
  type: "new_api_error",
  code: "billing_unavailable",
  message: "计费结果暂时无法写入，本次调用将在恢复后结算",
} as const;
export const holdUsedUp = {
  type: "new_api_error",
  code: "insufficient_user_quota",
  message: "user quota is not enough, 额度不足，输出已中止",
} as const;
export const tokenUsedUp = {
  type: "new_api_error",
  code: "pre_consume_token_quota_failed",
  message: "token quota is not enough, 令牌额度不足，输出已中止",
} as const;
export const budgetUsedUp = {
  type: "new_api_error",
  code: "token_budget_exceeded",
  message: "该令牌的预算已用完，输出已中止",
} as const;
export const callUsedUp = {
  type: "new_api_error",
  code: "quota_per_call_exceeded",
  message: "已达到单次调用额度上限，输出已中止",
} as const;
export const limitUsedUp = {
  type: "new_api_error",
  code: "spend_limit_exceeded",
  message: "已达到消费上限，输出已中止",
} as const;
export const stoppedByLoad = {
  type: "new_api_error",
  code: "server_overloaded",
  message: "服务繁忙，输出已中止",
} as const;
export const stoppedForShutdown = {
  type: "new_api_error",
  code: "shutting_down",
  message: "服务正在重启，输出已中止",
} as const;
/** Of a call that its user, an administrator or root has stopped while it ran. */
export const stoppedByHand = {
  type: "new_api_error",
  code: "call_stopped",
  message: "该调用已被停止",
} as const;
export const userRevoked = {
  type: "new_api_error",
  code: "user_disabled",
  message: "用户已被封禁，输出已中止",
} as const;
export const tokenRevoked = {
  type: "new_api_error",
  code: "token_disabled",
  message: "该令牌状态不可用，输出已中止",
} as const;

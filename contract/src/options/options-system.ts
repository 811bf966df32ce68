/** Options of the server, payment, content, and providers that have settings. */

import { z } from "zod";
import { readPercent } from "@tollgate/contract/endpoints/agents.ts";
import { content, define, flag, secret, whole } from "@tollgate/contract/kinds/kinds.ts";
import { processorFields } from "@tollgate/contract/kinds/payment-processors.ts";
import {
  decimalsOption,
  groupDecimalsOption,
  imageOption,
  isAboveZero,
  lineText,
  longText,
  numberOption,
  ownServerOption,
  positiveDecimal,
  quotaOption,
  serverOption,
  wholeOption,
} from "@tollgate/contract/fields/field-schemas.ts";

const server = define({ type: "text", schema: serverOption, defaultValue: "" });
const ownServer = define({ type: "text", schema: ownServerOption, defaultValue: "" });

export const serverOptions = {
  /** Public address of this server, used in links that leave it; empty: not known. */
  ServerAddress: ownServer,
  /** The largest number of calls of the console API per session and minute; 0: no limit. */
  ConsoleRequestsPerMinute: whole(0, 100_000, 180),
} as const;

export const workerOptions = {
  /** Address of a forwarder, which sends notifications in place of this server; empty: none. */
  WorkerUrl: server,
  /** The key with which this server identifies itself to the forwarder. */
  WorkerValidKey: secret,
} as const;

/** The largest number of amounts that the wallet suggests or that have a discount. */
const presetsMax = 20;

const discountRule = "折扣必须大于 0 且不超过 1";

/** Options of online payment: those of each processor, and what all of them have in common. */
export const paymentOptions = {
  ...processorFields,
  /** The address that processors call back; empty: this server's address. */
  CustomCallbackAddress: ownServer,
  /** Price of one US dollar of quota, in yuan. */
  Price: define({ type: "decimal", schema: positiveDecimal, defaultValue: "7.3", unit: "yuan" }),
  /** The smallest amount that can be bought, in US dollars. */
  MinTopUp: whole(1, 1_000_000, 1, "dollars"),
  /** The largest amount that can be bought at once, in US dollars; 0: no bound. */
  MaxTopUp: whole(0, 1_000_000, 0, "dollars"),
  /** Maps a group to the factor by which the amount of an order is multiplied. */
  TopupGroupRatio: define({
    type: "decimalMap",
    schema: groupDecimalsOption.refine(
      (ratios) => Object.values(ratios).every(isAboveZero),
      "充值倍率必须大于 0",
    ),
    defaultValue: { default: "1", vip: "1", svip: "1" },
  }),
  /** Amounts that the wallet suggests, and the factor of the price of exactly that amount. */
  TopupDiscount: define({
    type: "decimalMap",
    schema: decimalsOption
      .refine(
        (factors) => Object.keys(factors).every((amount) => /^[1-9]\d{0,14}$/.test(amount)),
        "金额必须是正整数",
      )
      .refine(
        (factors) => Object.values(factors).every((text) => isAboveZero(text) && Number(text) <= 1),
        discountRule,
      )
      .refine((factors) => Object.keys(factors).length <= presetsMax, `最多 ${presetsMax} 项`),
    defaultValue: {},
  }),
  /** How long an order waits for its payment. */
  OrderExpiryMinutes: whole(5, 1_440, 30, "minutes"),
} as const;

/** A per cent from 0 to 100 with at most two decimal places. */
const percent = define({
  type: "decimal",
  schema: z
    .string()
    .refine(
      (text) => readPercent(text) !== undefined,
      "必须是 0 到 100 之间的百分比，最多两位小数",
    ),
  defaultValue: "0",
  unit: "percent",
});

/** What users earn by those whom they invited. */
export const agentOptions = {
  /** Whether users can become agents, and agents earn dividends. */
  AgentsEnabled: flag(false),
  /** Whether root has to approve new agents. */
  AgentApprovalRequired: flag(true),
  /** The share of their invitees' spending that agents earn. */
  AgentDividendPercent: percent,
  /** The smallest withdrawal of an agent. */
  AgentWithdrawMin: define({
    type: "number",
    schema: quotaOption.min(1),
    defaultValue: 5_000_000,
    unit: "quota",
  }),
  /** The share of a paid top-up that its user's inviter earns, if that is no agent; 0: nothing. */
  TopUpRebatePercent: percent,
} as const;

/** The longest page of content, in characters. */
const contentMax = 100_000;

/** The longest promotion, in characters: as much of a text as notices contain. */
const promotionMax = 500;

/** Content is Markdown or HTML and is sanitised where it is shown. */
export const contentOptions = {
  Notice: content(contentMax, "notice"),
  /** A promotion that subscribers are notified of; empty: there is none. */
  Promotion: define({ type: "longText", schema: longText(promotionMax), defaultValue: "" }),
  SystemName: define({
    type: "text",
    schema: lineText(100).min(1, "系统名称不能为空"),
    defaultValue: "Tollgate",
  }),
  /** Address of an image beside the system's name; empty: the built-in one. */
  Logo: define({ type: "text", schema: imageOption, defaultValue: "" }),
  /** Text of the home page. If it is just an `https://` address, that page is shown in a frame. */
  HomePageContent: content(contentMax, "page"),
  /**
   * Text of the page "About". If it is just an `https://` address, that page is shown in a frame.
   */
  About: content(contentMax, "page"),
  Footer: content(10_000, "footer"),
} as const;

/** The largest number of chat links, and the longest address of one. */
const chatsMax = 50;
const chatAddressMax = 2_048;

const chatRule = "每一项必须是 {名称: 地址}";
const chatAddress = z
  .string(chatRule)
  .max(chatAddressMax, `地址不能超过 ${chatAddressMax} 个字符`)
  // Schemes such as `cherrystudio:` open a program on the computer, so they are allowed; schemes
  // that a browser would run as code are not.
  .regex(/^(?!javascript:|data:|vbscript:|blob:|file:)[a-z][a-z0-9+.-]*:\S+$/i, chatRule);

export const chatOptions = {
  /**
   * Links to chat clients: objects with one field each, name → address, in which `{key}` and
   * `{address}` are replaced.
   */
  Chats: define({
    type: "pairList",
    schema: z
      .array(
        z
          .record(lineText(100).min(1, chatRule), chatAddress, chatRule)
          .refine((entry) => Object.keys(entry).length === 1, chatRule),
        chatRule,
      )
      .max(chatsMax, `最多 ${chatsMax} 项`),
    defaultValue: [],
  }),
} as const;

/** The longest name of a model, header or category, in characters. */
const nameMax = 255;
const name = lineText(nameMax);

const headersRule = "必须是 {模型: {请求头: [值]}}";
const header = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, headersRule);

export const claudeOptions = {
  /** Maps a model to HTTP headers and the values that are added to them in calls to Claude. */
  "claude.model_headers_settings": define({
    type: "json",
    schema: z.record(
      name,
      z.record(header, z.array(lineText(1_000)).max(20, headersRule), headersRule),
      headersRule,
    ),
    defaultValue: {},
  }),
  /** Maps a model to the `max_tokens` of calls that set none; `default` is for all other models. */
  "claude.default_max_tokens": define({
    type: "json",
    schema: z
      .record(name, wholeOption(1, 10_000_000), "必须是 {模型: 数量}")
      .refine((map) => Object.hasOwn(map, "default"), "必须含有 default"),
    defaultValue: { default: 8_192 },
  }),
  /** Whether calls whose model name ends in `-thinking` are made with thinking turned on. */
  "claude.thinking_adapter_enabled": flag(true),
  /** The share of `max_tokens` that may be used for thinking. */
  "claude.thinking_adapter_budget_tokens_percentage": define({
    type: "number",
    schema: numberOption(0.1, 1),
    defaultValue: 0.8,
  }),
} as const;

export const geminiOptions = {
  /**
   * Maps a category of harm to Gemini's threshold for blocking content; `default` is for all other
   * categories.
   */
  "gemini.safety_settings": define({
    type: "textMap",
    schema: z.record(name, lineText(100)),
    defaultValue: { default: "OFF", HARM_CATEGORY_CIVIC_INTEGRITY: "BLOCK_NONE" },
  }),
  /** Maps a model to the version of Gemini's API; `default` is for all other models. */
  "gemini.version_settings": define({
    type: "textMap",
    schema: z.record(name, z.string().regex(/^[a-z0-9]{1,20}$/i, "版本只能含有字母和数字")),
    defaultValue: { default: "v1beta", "gemini-1.0-pro": "v1" },
  }),
} as const;

export const passThroughOptions = {
  /**
   * Whether bodies of calls are passed on unchanged, even if the channel is configured to change
   * them.
   */
  "global.pass_through_request_enabled": flag(false),
} as const;

/** Options that one-api clients know, but that have no effect here. */
export const unlistedOptions = {
  FileDownloadPermission: whole(0, 100, 0),
  FileUploadPermission: whole(0, 100, 0),
  ImageDownloadPermission: whole(0, 100, 0),
  ImageUploadPermission: whole(0, 100, 0),
  StopOnSensitiveEnabled: flag(true),
  StreamCacheQueueLength: whole(0, 1_000, 0),
} as const;

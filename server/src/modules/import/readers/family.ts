/**
 * What one-api and the programs that come from it have in common: tables, names of columns and what
 * they mean. Columns are read by name, so one reader serves a program of any age; those that an age
 * does not have yet are as if they were empty.
 */

import type { ForeignDatabase } from "#db/foreign.ts";
import type {
  NeutralChannel,
  LogReader,
  NeutralCode,
  NeutralHistory,
  NeutralSettings,
  NeutralToken,
  NeutralUser,
  Reader,
  TableReader,
} from "#modules/import/import.ts";
import { openValues, RowFault, textOf, type Values } from "#modules/import/values.ts";

/** The quota units of a dollar where the options do not say it. */
const usualQuotaPerUnit = 500_000;

const admin = 10;

const familyUsers: TableReader<NeutralUser> = {
  table: "users",
  key: "id",
  needs: ["id", "username", "password", "role", "status", "quota"],
  // Access tokens and codes are secrets of the other gateway; the number of invitees is counted anew.
  plain: ["access_token", "verification_code", "aff_count", "aff_history", "aff_history_quota"],
  read(values) {
    const status = values.whole("status");
    const deletedTime = values.time("deleted_at");
    const isDeleted = deletedTime > 0 || status === deletedStatus;
    return {
      id: idOf(values, "id"),
      username: values.text("username"),
      displayName: values.text("display_name"),
      passwordHash: values.text("password"),
      // Root stays ours.
      role: values.whole("role") >= admin ? 10 : 1,
      isEnabled: status === 1,
      email: values.text("email").trim(),
      githubId: values.text("github_id"),
      oidcId: values.text("oidc_id"),
      wechatId: values.text("wechat_id"),
      telegramId: values.text("telegram_id"),
      linuxDoId: values.text("linux_do_id"),
      group: values.text("group") || "default",
      affCode: values.text("aff_code"),
      inviterId: values.whole("inviter_id") > 0 ? String(values.whole("inviter_id")) : "",
      earnings: values.whole("aff_quota"),
      balance: values.whole("quota"),
      usedQuota: values.whole("used_quota"),
      requestCount: values.whole("request_count"),
      createdTime: values.time("created_at") || values.time("created_time"),
      deletedAt: isDeleted ? new Date(deletedTime * 1_000).toISOString() : null,
      language: languageOf(values.text("setting")),
      isUnlimited: false,
    };
  },
};

/** The status by which one-api marks deleted users. */
const deletedStatus = 3;

function languageOf(setting: string): string {
  const language = jsonField(setting, "language");
  if (language.startsWith("zh")) return "zh";
  return language.startsWith("en") ? "en" : "";
}

/** Reads a text of a JSON object; empty: it has none, or is no object. */
function jsonField(text: string, name: string): string {
  const value = parseObject(text)?.[name];
  return typeof value === "string" ? value : "";
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    // Safe cast: the text begins as an object.
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function idOf(values: Values, name: string): string {
  const id = values.whole(name);
  if (id < 1) throw new RowFault(name, "is no id");
  return String(id);
}

/** @param lists the columns in which a program keeps a token's models and addresses. */
export function familyTokens(lists: {
  readonly models: string;
  /** The column that says whether the models are a limit; empty: they are where there are some. */
  readonly limited: string;
  readonly addresses: string;
}): TableReader<NeutralToken> {
  return {
    table: "tokens",
    key: "id",
    needs: ["id", "user_id", "key", "status"],
    plain: [],
    read(values) {
      const models = listOf(values.text(lists.models));
      const limited = lists.limited === "" ? models.length > 0 : values.whole(lists.limited) !== 0;
      const status = values.whole("status");
      const key = values.text("key").trim().replace(/^sk-/, "");
      if (key === "") throw new RowFault("key", "is empty");
      const expired = values.has("expired_time") ? values.whole("expired_time") : -1;
      return {
        id: idOf(values, "id"),
        userId: idOf(values, "user_id"),
        key,
        keyHash: "",
        name: values.text("name"),
        status: status === 1 || status === 3 || status === 4 ? status : 2,
        createdTime: values.time("created_time"),
        accessedTime: values.time("accessed_time"),
        expiredTime: expired > 0 ? expired : -1,
        remain: values.whole("remain_quota"),
        isUnlimited: values.whole("unlimited_quota") !== 0,
        models: limited ? models : null,
        allowIps: values
          .text(lists.addresses)
          .split(/[\s,;]+/)
          .filter((line) => line !== "")
          .join("\n"),
        usedQuota: values.whole("used_quota"),
        group: values.text("group"),
        isDeleted: values.time("deleted_at") > 0,
        rate: rateOf(values),
        budgets: { day: 0, week: 0, month: 0 },
        loss: "",
      };
    },
  };
}

const noRate = { count: 0, seconds: 60 };

/** Reads the limit of calls in a time that Veloera's tokens have. */
function rateOf(values: Values): NeutralToken["rate"] {
  if (values.whole("rate_limit_enabled") === 0) return noRate;
  const count = values.whole("limit");
  const seconds = values.whole("frequency");
  return count > 0 && seconds > 0 ? { count, seconds } : noRate;
}

function listOf(text: string): string[] {
  const names = text.split(/[,\n]/).map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== "");
}

/** The channel type whose key is one JSON document, which may have line breaks. */
const vertex = 41;

/** @param typeOf gives the number of a type here; null: there is none for it. */
export function familyChannels(
  typeOf: (type: number) => number | null,
): TableReader<NeutralChannel> {
  return {
    table: "channels",
    key: "id",
    needs: ["id", "type", "key", "name", "models"],
    plain: ["created_time", "test_time", "response_time", "balance", "balance_updated_time"],
    read(values) {
      const type = values.whole("type");
      const own = typeOf(type);
      const key = values.text("key");
      const config = values.text("config");
      const setting = values.text("setting");
      return {
        id: idOf(values, "id"),
        name: values.text("name") || `${type}`,
        type: own,
        typeName: String(type),
        isEnabled: values.whole("status") === 1,
        keys: own === vertex ? [key] : listOfLines(key),
        baseUrl: withoutSlash(values.text("base_url").trim()),
        other:
          values.text("other") || jsonField(config, "region") || jsonField(config, "api_version"),
        models: listOf(values.text("models")).join(","),
        group: listOf(values.text("group")).join(",") || "default",
        modelMapping: objectText(values.text("model_mapping")),
        statusCodeMapping: objectText(values.text("status_code_mapping")),
        paramOverride: objectText(values.text("param_override")),
        proxy: jsonField(setting, "proxy") || values.text("proxy"),
        tag: values.text("tag"),
        priority: values.whole("priority"),
        weight: Math.max(0, values.whole("weight")),
        isAutoDisabled: !values.has("auto_ban") || values.whole("auto_ban") !== 0,
        organization: values.text("openai_organization"),
        testModel: values.text("test_model"),
        usedQuota: values.whole("used_quota"),
      };
    },
  };
}

function withoutSlash(address: string): string {
  return address.endsWith("/") ? address.slice(0, -1) : address;
}

function listOfLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== "");
}

/** A JSON object as it is; empty for one without fields and for any other text. */
function objectText(text: string): string {
  const object = parseObject(text);
  return object === undefined || Object.keys(object).length === 0 ? "" : text.trim();
}

const familyCodes: TableReader<NeutralCode> = {
  table: "redemptions",
  key: "id",
  needs: ["id", "key", "status", "quota"],
  plain: ["user_id", "redeemed_time", "used_user_id", "count"],
  read(values) {
    const status = values.whole("status");
    const key = values.text("key").trim();
    if (key === "") throw new RowFault("key", "is empty");
    return {
      id: idOf(values, "id"),
      key,
      name: values.text("name"),
      quota: values.whole("quota"),
      status: status === 1 || status === 3 ? status : 2,
      createdTime: values.time("created_time"),
      expiredTime: values.time("expired_time"),
      isDeleted: values.time("deleted_at") > 0,
    };
  },
};

/** The calls of the log; top-ups and what admins did are told by others. */
const familyLogs: LogReader = {
  table: "logs",
  key: "id",
  time: "created_at",
  needs: ["id", "user_id", "created_at", "type"],
  // Names follow from ids.
  plain: ["username", "channel_name"],
  read(values) {
    const type = values.whole("type");
    return {
      ...noHistory,
      id: idOf(values, "id"),
      userId: String(values.whole("user_id")),
      tokenId: idText(values.whole("token_id")),
      tokenName: values.text("token_name"),
      channelId: idText(values.whole("channel_id") || values.whole("channel")),
      createdTime: values.time("created_at"),
      model: values.text("model_name"),
      group: values.text("group"),
      quota: type === consumption ? values.whole("quota") : 0,
      promptTokens: values.whole("prompt_tokens"),
      completionTokens: values.whole("completion_tokens"),
      useTimeSeconds: values.whole("use_time") || Math.round(values.whole("elapsed_time") / 1_000),
      isStream: values.whole("is_stream") !== 0,
      content: values.text("content"),
    };
  },
};

/** The type of rows of the log that are calls which were charged. */
const consumption = 2;

const noHistory = {
  tokenId: "",
  tokenName: "",
  channelId: "",
  model: "",
  group: "",
  quota: 0,
  promptTokens: 0,
  completionTokens: 0,
  useTimeSeconds: 0,
  isStream: false,
} as const;

function idText(id: number): string {
  return id > 0 ? String(id) : "";
}

const familyOrders: TableReader<NeutralHistory> = {
  table: "top_ups",
  key: "id",
  needs: ["id", "user_id"],
  plain: [],
  read(values) {
    const [amount, money] = [values.amount("amount") ?? 0, values.amount("money") ?? 0];
    const parts = [values.text("trade_no"), `${amount}`, money === 0 ? "" : `￥${money}`];
    const said = [...parts, values.text("payment_method"), values.text("status")];
    return {
      ...noHistory,
      id: idOf(values, "id"),
      userId: String(values.whole("user_id")),
      createdTime: values.time("complete_time") || values.time("create_time"),
      content: `充值订单：${said.filter((part) => part !== "").join("，")}`,
    };
  },
};

/** The options with prices, which have the same names and meanings here. */
const priceOptions = new Set([
  "AudioCompletionRatio",
  "AudioRatio",
  "CacheRatio",
  "CompletionRatio",
  "CreateCacheRatio",
  "GroupRatio",
  "ImageRatio",
  "ModelPrice",
  "ModelRatio",
]);

const optionsAtOnce = 10_000;

/** Reads what the options say of prices, and how many quota units are a dollar. */
async function readFamilyOptions(source: ForeignDatabase): Promise<NeutralSettings> {
  const prices = new Map<string, string>();
  let quotaPerUnit = usualQuotaPerUnit;
  let oidcIssuer = "";
  if (!source.tables.has("options")) return { quotaPerUnit, prices, oidcIssuer };
  const rows = await source.page("options", { key: "key", after: null, limit: optionsAtOnce });
  for (const row of rows) {
    const values = openValues(row);
    const key = values.text("key");
    const value = textOf(row["value"]);
    if (priceOptions.has(key)) prices.set(key, value);
    if (key === "QuotaPerUnit" && Number(value) > 0) quotaPerUnit = Number(value);
    if (key === "oidc.well_known") oidcIssuer = value.replace(/\/\.well-known\/.*/, "");
  }
  return { quotaPerUnit, prices, oidcIssuer };
}

type FamilyReaders = {
  readonly kind: string;
  readonly recognizes: Reader["recognizes"];
  readonly tokens: TableReader<NeutralToken>;
  readonly channels: TableReader<NeutralChannel>;
  /** Reads what stands in tables of this program only. */
  readonly readMore?: (source: ForeignDatabase, found: NeutralSettings) => Promise<NeutralSettings>;
  /** Tables from which that was read. */
  readonly more?: readonly string[];
};

/** Makes the reader of a program from what it has of its own. */
export function familyReader(own: FamilyReaders): Reader {
  const { kind, tokens, channels, recognizes, readMore, more = [] } = own;
  return {
    kind,
    recognizes,
    needs: () => [familyUsers, tokens, channels],
    async open(source) {
      const settings = await readFamilyOptions(source);
      return {
        kind,
        users: [familyUsers],
        madeUsers: [],
        tokens: [tokens],
        channels: [channels],
        codes: [familyCodes],
        orders: [familyOrders],
        logs: [familyLogs],
        settings: readMore === undefined ? settings : await readMore(source, settings),
        // The rows of abilities follow from channels.
        derived: ["abilities", "options", ...more],
      };
    },
  };
}

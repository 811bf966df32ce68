/** Keys of LiteLLM, of which it has the SHA-256 only. */

import type { NeutralToken, TableReader } from "#modules/import/import.ts";
import { RowFault, type Values } from "#modules/import/values.ts";
import { accountOf, type Known, unitsOf } from "./litellm-accounts.ts";

export const tokenTable = "LiteLLM_VerificationToken";

const hashForm = /^[0-9a-f]{64}$/;

export function litellmTokens(known: Known): TableReader<NeutralToken> {
  return {
    table: tokenTable,
    key: "token",
    needs: ["token", "spend", "user_id", "team_id"],
    plain: [
      "allowed_cache_controls",
      "budget_reset_at",
      "created_by",
      "key_name",
      "model_spend",
      "organization_id",
      "soft_budget_cooldown",
      "updated_at",
      "updated_by",
    ],
    read(values) {
      const keyHash = values.text("token");
      if (!hashForm.test(keyHash)) throw new RowFault("token", "is no SHA-256 of a key");
      const userId = accountOf(values, known);
      return {
        id: keyHash,
        userId,
        key: "",
        keyHash,
        name: values.text("key_alias"),
        status: values.whole("blocked") === 0 ? 1 : 2,
        createdTime: values.time("created_at"),
        accessedTime: values.time("last_active"),
        expiredTime: values.time("expires") || -1,
        models: modelsOf(values, userId, known),
        allowIps: "",
        usedQuota: unitsOf(Math.max(0, values.amount("spend") ?? 0), known.dollar),
        group: "",
        isDeleted: false,
        rate: { count: Math.max(0, limitOf(values, "rpm_limit", known)), seconds: 60 },
        ...budgetOf(values, known),
      };
    },
  };
}

function budgetRow(values: Values, { budgets }: Known): Values | undefined {
  return budgets.get(values.text("budget_id"));
}

function limitOf(values: Values, column: string, known: Known): number {
  return values.whole(column) || (budgetRow(values, known)?.whole(column) ?? 0);
}

/** Names that stand for all models, or for those of the team. */
const special: readonly string[] = ["all-proxy-models", "all-team-models"];

/** Returns the models that both the key and its account may call; null: all of them. */
function modelsOf(values: Values, userId: string, { models }: Known): readonly string[] | null {
  const own = values.list("models").filter((name) => !special.includes(name));
  const theirs = (models.get(userId) ?? []).filter((name) => !special.includes(name));
  const isOpen = values.list("models").every((name) => special.includes(name));
  if (theirs.length === 0) return isOpen ? null : own;
  return isOpen ? theirs : own.filter((name) => theirs.includes(name));
}

/** The times after which a budget is whole again, and the same times here. */
const windows: Readonly<Record<string, "day" | "month" | "week">> = {
  "24h": "day",
  "1d": "day",
  daily: "day",
  "7d": "week",
  "1w": "week",
  weekly: "week",
  "30d": "month",
  "1mo": "month",
  monthly: "month",
};

type Budget = Pick<NeutralToken, "budgets" | "isUnlimited" | "loss" | "remain">;

/** A budget that is whole again after a time is a budget of the key; another one is its quota. */
function budgetOf(values: Values, known: Known): Budget {
  const row = budgetRow(values, known);
  const dollars = values.amount("max_budget") ?? row?.amount("max_budget") ?? null;
  const duration = values.text("budget_duration") || row?.text("budget_duration") || "";
  const none = { day: 0, week: 0, month: 0 };
  if (dollars === null) return { budgets: none, isUnlimited: true, remain: 0, loss: "" };
  const most = unitsOf(dollars, known.dollar);
  const window = windows[duration];
  if (window !== undefined && most > 0) {
    return { budgets: { ...none, [window]: most }, isUnlimited: true, remain: 0, loss: "" };
  }
  const remain = most - unitsOf(Math.max(0, values.amount("spend") ?? 0), known.dollar);
  const loss =
    duration === "" ? "" : `gets what is left of its budget, which is not renewed each ${duration}`;
  return { budgets: none, isUnlimited: false, remain, loss };
}

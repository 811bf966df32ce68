/** The columns of the list of tokens. */

import { type Token, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { SwitchCell } from "#ui/table/cells/SwitchCell.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { timeColumn } from "#widgets/columns/common-columns.tsx";
import { KeyText, tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { budgetLeft, budgetName, budgetTone } from "#widgets/tokens/BudgetBars.tsx";
import { neverExpires, type TokenState, tokenState } from "#widgets/tokens/token-state.ts";
import type { TokenSource } from "./tokens.api.ts";
import { expiryTone, modelLimitsOf, spendOf, stateTone } from "./token-state.ts";

type TokenColumnDeps = {
  readonly t: T;
  readonly source: TokenSource;
  /** Whether one of the listed tokens has a budget. */
  readonly hasBudgets: boolean;
  readonly readKey: (id: number) => Promise<string>;
  readonly onStatus: (change: { id: number; enabled: boolean }) => Promise<unknown>;
};

type TokenColumn = Column<Token>;

export function tokenColumns(deps: TokenColumnDeps): readonly TokenColumn[] {
  const { t, source, readKey, onStatus } = deps;
  return [
    {
      id: "name",
      title: t("tokens.name"),
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      csv: (row) => row.name,
      cell: (row) => <CutText>{row.name}</CutText>,
    },
    ...(source === "all" ? [ownerColumn(t)] : []),
    {
      id: "key",
      title: t("tokens.key"),
      rank: 3,
      width: 158,
      csv: (row) => (row.key === "" ? "" : tokenKeyPrefix + row.key),
      cell: (row) => (
        <span className="flex min-w-0 flex-col leading-tight">
          {row.key === "" ? (
            <Muted>{t("tokens.keyAfterUse")}</Muted>
          ) : (
            <KeyText masked={row.key} name={row.name} read={() => readKey(row.id)} />
          )}
          {row.old_key !== "" && (
            <span className="text-xs">
              <Tip
                text={t("tokens.oldKey", {
                  key: tokenKeyPrefix + row.old_key,
                  time: showTime(row.old_key_ends_at, ""),
                })}
              >
                <Muted>{t("tokens.oldKeyShort")}</Muted>
              </Tip>
            </span>
          )}
        </span>
      ),
    },
    statusColumn(t, onStatus),
    quotaColumn(t),
    ...(deps.hasBudgets ? [budgetColumn(t)] : []),
    ...limitColumns(t),
    ...timeColumns(t),
  ];
}

function ownerColumn(t: T): TokenColumn {
  return {
    id: "username",
    title: t("tokens.owner"),
    rank: 2,
    width: 120,
    card: "fact",
    brief: (row) => row.username,
    csv: (row) => row.username ?? "",
    cell: (row) => <CutText>{row.username ?? ""}</CutText>,
  };
}

function statusColumn(t: T, onStatus: TokenColumnDeps["onStatus"]): TokenColumn {
  return {
    id: "status",
    title: t("tokens.status"),
    rank: 1,
    width: 120,
    card: "lead",
    csv: (row) => stateText(tokenState(row, nowSeconds()), t),
    cell: (row) => {
      const state = tokenState(row, nowSeconds());
      return (
        <span className="inline-flex items-center gap-2">
          <SwitchCell
            checked={state === "enabled"}
            label={t("tokens.switchLabel", { name: row.name })}
            onChange={(enabled) => onStatus({ id: row.id, enabled })}
          />
          <Tip text={offText(row, state, t)}>
            <Badge tone={stateTone[state]}>{stateText(state, t)}</Badge>
          </Tip>
        </span>
      );
    },
  };
}

/** Says why the gateway switched the token off, which its owner did not; empty: it did not. */
function offText({ status }: Token, state: TokenState, t: T): string {
  if (state !== "disabled") return "";
  if (status === tokenStatus.enum.exhausted) return t("tokens.offExhausted");
  return status === tokenStatus.enum.expired ? t("tokens.offExpired") : "";
}

function stateText(state: TokenState, t: T): string {
  switch (state) {
    case "enabled":
      return t("tokens.statusEnabled");
    case "disabled":
      return t("tokens.statusDisabled");
    case "expired":
      return t("tokens.statusExpired");
    case "exhausted":
      return t("tokens.statusExhausted");
  }
}

function quotaColumn(t: T): TokenColumn {
  return {
    id: "quota",
    title: t("tokens.quotaColumn"),
    rank: 1,
    width: 140,
    card: "fact",
    brief: (row) => (
      <>
        {row.unlimited_quota ? t("tokens.unlimitedShort") : <QuotaText quota={row.remain_quota} />}
        {" / "}
        <QuotaText quota={row.used_quota} />
      </>
    ),
    csv: (row) =>
      `${row.unlimited_quota ? t("tokens.unlimitedShort") : row.remain_quota} / ${row.used_quota}`,
    cell: (row) => <Spend row={row} t={t} />,
  };
}

/** Shows remaining and used quota, with a bar that turns to a warning colour when most is used. */
function Spend({ row, t }: { row: Token; t: T }) {
  const spend = spendOf(row);
  const used = (
    <Muted>
      <QuotaText quota={row.used_quota} />
    </Muted>
  );
  if (spend === null) {
    return (
      <span className="flex items-baseline justify-between gap-3">
        {t("tokens.unlimitedShort")}
        {used}
      </span>
    );
  }
  const percent = spend.granted === 0 ? 100 : Math.floor((spend.used / spend.granted) * 100);
  const label = t("tokens.spent", { percent });
  const remaining = <QuotaText quota={row.remain_quota} />;
  return (
    <span className="flex w-full flex-col gap-1">
      <span className="flex items-baseline justify-between gap-3 leading-4">
        {spend.tone === "accent" ? remaining : <Toned tone={spend.tone}>{remaining}</Toned>}
        {used}
      </span>
      <Tip text={label}>
        <ProgressBar value={spend.used} max={spend.granted} tone={spend.tone} label={label} />
      </Tip>
    </span>
  );
}

/** Makes the column of what is left of the budget of which the largest share is spent. */
function budgetColumn(t: T): TokenColumn {
  return {
    id: "budgets",
    title: t("tokens.budgetsLeft"),
    rank: 4,
    width: 124,
    has: ({ budgets }) => budgets.length > 0,
    csv: ({ budgets }) =>
      budgets.map((each) => `${each.window} ${budgetLeft(each)} / ${each.limit}`).join(", "),
    cell: ({ budgets }) => {
      const [scarcest] = budgets.toSorted((a, b) => b.spent / b.limit - a.spent / a.limit);
      if (scarcest === undefined) return <Muted>–</Muted>;
      const tone = budgetTone(scarcest);
      const name = budgetName(scarcest, t);
      const resets = t("widgets.budgetResets", { time: showTime(scarcest.resets_at, "") });
      const left = <QuotaText quota={budgetLeft(scarcest)} />;
      return (
        <span className="flex w-full flex-col gap-1">
          <span className="flex items-baseline justify-between gap-3 leading-4">
            {tone === "accent" ? left : <Toned tone={tone}>{left}</Toned>}
            <span className="whitespace-nowrap">
              <Muted>{name}</Muted>
            </span>
          </span>
          <Tip text={resets}>
            <ProgressBar
              value={scarcest.spent}
              max={scarcest.limit}
              tone={tone}
              label={t("widgets.budgetSpent", { name })}
            />
          </Tip>
        </span>
      );
    },
  };
}

function limitColumns(t: T): readonly TokenColumn[] {
  return [
    {
      id: "group",
      title: t("tokens.group"),
      rank: 4,
      width: 84,
      card: "fact",
      brief: (row) => (row.group === "" ? null : row.group),
      csv: (row) => row.group,
      cell: (row) =>
        row.group === "" ? (
          <Muted>{t("tokens.groupOwnShort")}</Muted>
        ) : (
          <Badge tone="info">{row.group}</Badge>
        ),
    },
    {
      id: "model_limits",
      title: t("tokens.modelLimits"),
      rank: 4,
      width: 76,
      csv: (row) => (row.model_limits_enabled ? row.model_limits : ""),
      cell: (row) => {
        if (!row.model_limits_enabled) return <Muted>{t("tokens.modelsAll")}</Muted>;
        const models = modelLimitsOf(row);
        return (
          <span className="whitespace-nowrap">
            <Tip text={models.join("\n")}>{t("tokens.modelsSome", { count: models.length })}</Tip>
          </span>
        );
      },
    },
  ];
}

function timeColumns(t: T): readonly TokenColumn[] {
  return [
    {
      id: "expired_time",
      title: t("tokens.expiry"),
      rank: 3,
      width: 92,
      csv: (row) => showTime(row.expired_time, t("tokens.expiryNever")),
      cell: (row) => {
        if (row.expired_time === neverExpires) return <Muted>{t("tokens.expiryNever")}</Muted>;
        const tone = expiryTone(row, nowSeconds());
        const time = <TimeCell seconds={row.expired_time} />;
        return tone === "neutral" ? time : <Toned tone={tone}>{time}</Toned>;
      },
    },
    {
      id: "accessed_time",
      title: t("tokens.lastUsed"),
      rank: 3,
      width: 92,
      card: "fact",
      brief: (row) => isUsed(row) && <TimeCell seconds={row.accessed_time} />,
      csv: (row) => (isUsed(row) ? showTime(row.accessed_time, "") : ""),
      cell: (row) =>
        isUsed(row) ? (
          <TimeCell seconds={row.accessed_time} />
        ) : (
          <Muted>{t("tokens.neverUsed")}</Muted>
        ),
    },
    timeColumn(
      { id: "created_time", title: t("tokens.created"), rank: 5, width: 92 },
      (row) => row.created_time,
    ),
  ];
}

/**
 * Whether the token was ever used. Creating a token sets its access time as well, so only a later
 * access time means use.
 */
function isUsed(row: Token): boolean {
  return row.used_quota > 0 || row.accessed_time > row.created_time;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

import type { BudgetState } from "@tollgate/contract/money/budgets.ts";
import { showTime } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import type { Tone } from "#ui/tone.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** The bar of a budget shows a warning when at least this share of it is spent. */
const warnShare = 0.8;

export function budgetName({ window }: BudgetState, t: T): string {
  switch (window) {
    case "day":
      return t("widgets.budgetDay");
    case "week":
      return t("widgets.budgetWeek");
    case "month":
      return t("widgets.budgetMonth");
  }
}

export function budgetLeft({ limit, spent }: BudgetState): number {
  return Math.max(0, limit - spent);
}

export function budgetTone({ limit, spent }: BudgetState): Tone {
  if (spent >= limit) return "danger";
  return spent >= limit * warnShare ? "warning" : "accent";
}

/** Shows what is left of each budget of a token, and when it is whole again. */
export function BudgetBars({ budgets }: { readonly budgets: readonly BudgetState[] }) {
  const t = useT();
  return (
    <ul className="flex min-w-0 flex-col gap-3">
      {budgets.map((budget) => {
        const name = budgetName(budget, t);
        return (
          <li key={budget.window} className="flex flex-col gap-1 text-sm">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span>{name}</span>
              <span>
                <Toned tone={budgetTone(budget)}>
                  <QuotaText quota={budgetLeft(budget)} />
                </Toned>
                <Muted>
                  {" / "}
                  <QuotaText quota={budget.limit} />
                </Muted>
              </span>
            </span>
            <ProgressBar
              value={budget.spent}
              max={budget.limit}
              tone={budgetTone(budget)}
              label={t("widgets.budgetSpent", { name })}
            />
            <span className="text-xs">
              <Muted>{t("widgets.budgetResets", { time: showTime(budget.resets_at, "") })}</Muted>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/**
 * Shows how the charge of a call was computed, so that people can check it: each kind of token, the
 * formula with its numbers, and the result.
 */

import type { HourWindow, LongStep, TierFactors } from "@tollgate/contract/money/price-terms.ts";
import type { ServiceTier } from "@tollgate/contract/money/service-tiers.ts";
import type { RateName } from "@tollgate/contract/money/token-price.ts";
import { type T, useT } from "#i18n/t.ts";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { formulaText, groupDigits } from "./formula-text.ts";
import { QuotaText } from "./QuotaText.tsx";

/** One kind of token in the formula of a call. Decimals are text, so that they stay exact. */
export type FormulaTerm = {
  readonly bucket: RateName;
  readonly count: number;
  /** Whether the price of this kind is the model's own, and not relative to an input token. */
  readonly isOwn: boolean;
  /** The price of this kind relative to that of an input token, or its own, in quota units. */
  readonly factor: string;
  /**
   * US dollars per million tokens, with the ratios of model and group applied, to twelve decimal
   * places.
   */
  readonly perMillion: string;
  /** What all tokens of this kind cost, in quota units before rounding. */
  readonly quota: string;
};

/** What is charged beside the tokens. */
export type FormulaExtra = {
  readonly kind: "call" | "search" | "searchingCall";
  readonly count: number;
  /** US dollars per 1,000. */
  readonly dollars: string;
  /** Quota units for each. */
  readonly each: string;
};

type Result = {
  readonly groupRatio: string;
  /** The formula's result before rounding, in quota units. */
  readonly exact: string;
  /** The formula's result, in quota units. */
  readonly due: number;
  /** The quota units that were charged; they may differ from `due`. */
  readonly charged: number;
  /**
   * Quota units of usage that neither hold nor balance covered, and that are therefore not charged.
   */
  readonly writeOff: number;
  /**
   * True: the formula uses the token counts and prices stored with the charge; false: only the
   * ratios that the log row itself shows.
   */
  readonly isKept: boolean;
};

export type Formula = Result &
  (
    | {
        readonly kind: "call";
        readonly dollars: string;
        readonly quotaPerUnit: string;
        /**
         * What the price of a call is multiplied by: several or large pictures, or a task's seconds,
         * results, mode and size.
         */
        readonly times: readonly string[];
      }
    | {
        readonly kind: "tokens";
        readonly modelRatio: string;
        /** What the factors contain because the prompt was long; undefined: it was not. */
        readonly long: LongStep | undefined;
        /** What the factors contain because of the service tier; undefined: nothing. */
        readonly tier: (TierFactors & { readonly name: ServiceTier }) | undefined;
        /** What the factors contain because of the hour; undefined: nothing. */
        readonly hours: HourWindow | undefined;
        readonly terms: readonly FormulaTerm[];
        readonly extras: readonly FormulaExtra[];
      }
  );

export function BillingFormula({ formula }: { formula: Formula }) {
  const t = useT();
  const text = formulaText(formula);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {formula.kind === "tokens" && formula.terms.length > 0 && <Terms terms={formula.terms} />}
      <div className="flex max-w-[640px] min-w-0 items-center gap-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-words tabular-nums">{text}</code>
        <CopyButton text={text} label={t("widgets.formulaCopy")} iconOnly />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{t("widgets.formulaCharged")}</span>
        <span className="font-medium">
          <QuotaText quota={formula.charged} />
        </span>
        <Muted>{t("widgets.formulaUnits", { units: groupDigits(String(formula.charged)) })}</Muted>
        <Verdict formula={formula} />
      </div>
      {formula.kind === "tokens" && formula.long !== undefined && <Long long={formula.long} />}
      {formula.kind === "tokens" && formula.tier !== undefined && <Tier tier={formula.tier} />}
      {formula.kind === "tokens" && <Extras formula={formula} />}
      {!formula.isKept && <Muted>{t("widgets.formulaFromRow")}</Muted>}
      <Difference formula={formula} />
    </div>
  );
}

function Terms({ terms }: { terms: readonly FormulaTerm[] }) {
  const t = useT();
  const head = "py-1 pr-4 text-left font-normal whitespace-nowrap";
  const number = "py-1 pl-4 text-right whitespace-nowrap tabular-nums";
  const rare = `${number} hidden md:table-cell`;
  return (
    <table className="w-full max-w-[640px] text-xs">
      <thead>
        <tr>
          <th scope="col" className={head}>
            <Muted>{t("widgets.formulaKind")}</Muted>
          </th>
          <th scope="col" className={`${number} font-normal`}>
            <Muted>{t("widgets.formulaCount")}</Muted>
          </th>
          <th scope="col" className={`${rare} font-normal`}>
            <Muted>{t("widgets.formulaFactor")}</Muted>
          </th>
          <th scope="col" className={`${number} font-normal`}>
            <Muted>{t("widgets.formulaPrice")}</Muted>
          </th>
          <th scope="col" className={`${number} font-normal`}>
            <Muted>{t("widgets.formulaQuota")}</Muted>
          </th>
        </tr>
      </thead>
      <tbody>
        {terms.map((term) => (
          <tr key={term.bucket}>
            <th scope="row" className={head}>
              {bucketName(term.bucket, t)}
            </th>
            <td className={number}>{groupDigits(String(term.count))}</td>
            <td className={rare}>× {groupDigits(term.factor)}</td>
            <td className={number}>${withCents(groupDigits(term.perMillion))}</td>
            <td className={number}>{groupDigits(term.quota)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Long({ long: { above, ratio, completion } }: { readonly long: LongStep }) {
  const t = useT();
  const tokens = groupDigits(String(above));
  return <Muted>{t("widgets.formulaLong", { above: tokens, ratio, completion })}</Muted>;
}

function Tier({ tier }: { readonly tier: TierFactors & { readonly name: ServiceTier } }) {
  const t = useT();
  const { name, ratio, cache, completion } = tier;
  return <Muted>{t("widgets.formulaTier", { name, ratio, cache, completion })}</Muted>;
}

/** Says what an hour has changed, and what was charged beside the tokens. */
function Extras({ formula }: { readonly formula: Extract<Formula, { kind: "tokens" }> }) {
  const t = useT();
  const { extras, hours, terms } = formula;
  const names: Readonly<Record<FormulaExtra["kind"], string>> = {
    call: t("widgets.formulaCalls"),
    search: t("widgets.formulaSearches"),
    searchingCall: t("widgets.formulaSearchingCalls"),
  };
  return (
    <>
      {hours !== undefined && <Muted>{t("widgets.formulaHours", { ...hours })}</Muted>}
      {terms.some(({ isOwn }) => isOwn) && <Muted>{t("widgets.formulaOwn")}</Muted>}
      {extras.map(({ kind, count, dollars }) => (
        <Muted key={kind}>
          {t("widgets.formulaExtra", { name: names[kind], count: String(count), dollars })}
        </Muted>
      ))}
    </>
  );
}

/** Writes at least two digits after the point, as every price does. */
function withCents(price: string): string {
  const [whole = "", part = ""] = price.split(".");
  return `${whole}.${part.padEnd(2, "0")}`;
}

/** A badge that says whether the formula's result equals the charge. */
function Verdict({ formula }: { formula: Formula }) {
  const t = useT();
  const { due, charged, writeOff } = formula;
  if (due === charged) return <Badge tone="success">{t("widgets.formulaAgrees")}</Badge>;
  if (due === charged + writeOff) {
    return <Badge tone="warning">{t("widgets.formulaWrittenOff")}</Badge>;
  }
  return <Badge tone="danger">{t("widgets.formulaDiffers")}</Badge>;
}

function Difference({ formula }: { formula: Formula }) {
  const t = useT();
  const { due, charged, writeOff } = formula;
  if (due === charged) return null;
  const figures = {
    due: groupDigits(String(due)),
    charged: groupDigits(String(charged)),
    difference: groupDigits(String(Math.abs(due - charged))),
  };
  return due === charged + writeOff ? (
    <Muted>{t("widgets.formulaWrittenOffText", figures)}</Muted>
  ) : (
    <Banner tone="danger" title={t("widgets.formulaDiffersTitle")}>
      {t("widgets.formulaDiffersText", figures)}
    </Banner>
  );
}

/** Returns the name of a kind of token, in the user's language. */
function bucketName(bucket: RateName, t: T): string {
  const names: Readonly<Record<RateName, string>> = {
    input: t("widgets.formulaInput"),
    cacheRead: t("widgets.formulaCacheRead"),
    cacheAudio: t("widgets.formulaCacheAudio"),
    cacheImage: t("widgets.formulaCacheImage"),
    cacheWrite5m: t("widgets.formulaCacheWrite5m"),
    cacheWrite1h: t("widgets.formulaCacheWrite1h"),
    inputAudio: t("widgets.formulaInputAudio"),
    inputImage: t("widgets.formulaInputImage"),
    output: t("widgets.formulaOutput"),
    reasoning: t("widgets.formulaReasoning"),
    outputAudio: t("widgets.formulaOutputAudio"),
    outputImage: t("widgets.formulaOutputImage"),
  };
  return names[bucket];
}

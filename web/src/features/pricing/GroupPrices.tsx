import type { Bucket, ChargedUsage } from "@tollgate/contract/money/charge.ts";
import { type T, useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import {
  costOf,
  type groupPrices,
  type ModelPrice,
  showDollars,
} from "#widgets/money/model-prices.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { ratioTone } from "#widgets/money/ratio-tone.ts";
import { bucketName, bucketsOf, type ShownBucket } from "./bucket-names.ts";
import { type PricingSearch, units } from "./pricing.search.ts";

const mainBuckets = ["input", "cacheRead", "output"] as const satisfies readonly Bucket[];

/**
 * The prices of a model in each group that the reader may use, side by side: every kind of token, or
 * the price of a call, and what the example call would cost.
 */
export function GroupPrices(props: {
  readonly model: string;
  readonly unit: PricingSearch["unit"];
  readonly usage: ChargedUsage;
  readonly prices: ReturnType<typeof groupPrices>;
}) {
  const { model, unit, usage, prices } = props;
  const t = useT();
  const [first] = prices;
  if (first === undefined) return null;
  const tokens = unit === "K" ? "1K" : "1M";
  const byCall = first.price.kind === "call";
  const rows = byCall
    ? [{ name: t("pricing.perCallKind"), cells: prices.map(({ price }) => perCallOf(price)) }]
    : [
        ...bucketsOf(first.price).map((bucket) => ({
          name: bucketName(bucket, t),
          cells: prices.map(({ price }) => rateOf(price, bucket, unit)),
        })),
        ...longRows(prices, unit, t),
        ...tierRows(prices, unit, t),
        ...hourRows(prices, unit, t),
        ...besideRows(prices, t),
      ];
  const table = (
    <PlainTable
      compares
      label={t("pricing.groupsSideBySide", { model })}
      columns={[
        { key: "", title: byCall ? t("pricing.type") : t("pricing.kind", { tokens }) },
        ...prices.map(({ group, ratio }) => ({
          key: group,
          title: (
            <Badge tone={ratioTone(ratio)}>
              {t("pricing.groupItem", { group, ratio: String(ratio) })}
            </Badge>
          ),
        })),
      ]}
      rows={[
        ...rows,
        {
          name: t("pricing.exampleCost"),
          cells: prices.map(({ group, price }) => (
            <QuotaText key={group} quota={costOf(price, usage) ?? 0} />
          )),
        },
      ]}
    />
  );
  const notes = notesOf(first.price, t);
  if (notes.length === 0) return table;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {table}
      {notes.map((note) => (
        <p key={note} className="text-sm">
          <Muted>{note}</Muted>
        </p>
      ))}
    </div>
  );
}

/** Says when the prices of long prompts and of service tiers apply, if the model has such. */
function notesOf(price: ModelPrice, t: T): readonly string[] {
  if (price.kind !== "tokens") return [];
  const { beside, hours, long, tiers } = price;
  return [
    ...long.map(({ above }) => t("pricing.longNote", { above: above.toLocaleString("en-US") })),
    ...(tiers.length === 0 ? [] : [t("pricing.tierNote")]),
    ...(hours.length === 0 ? [] : [t("pricing.hourNote")]),
    ...(beside.length === 0 ? [] : [t("pricing.besideNote")]),
  ];
}

/** Returns the rows with the prices of long prompts: only of what every model has. */
function longRows(
  prices: ReturnType<typeof groupPrices>,
  unit: PricingSearch["unit"],
  t: T,
): { readonly name: string; readonly cells: readonly string[] }[] {
  const [first] = prices;
  if (first?.price.kind !== "tokens") return [];
  return first.price.long.flatMap(({ above }, at) =>
    mainBuckets.map((bucket) => ({
      name: t("pricing.longKind", {
        kind: bucketName(bucket, t),
        above: above.toLocaleString("en-US"),
      }),
      cells: prices.map(({ price }) => {
        const rate = price.kind === "tokens" ? price.long[at]?.rates[bucket] : undefined;
        return rate === undefined ? "–" : showDollars(rate * units[unit]);
      }),
    })),
  );
}

/** Returns the rows with the prices of hours of the day: only of what every model has. */
function hourRows(
  prices: ReturnType<typeof groupPrices>,
  unit: PricingSearch["unit"],
  t: T,
): { readonly name: string; readonly cells: readonly string[] }[] {
  const [first] = prices;
  if (first?.price.kind !== "tokens") return [];
  return first.price.hours.flatMap(({ from, until }, at) =>
    mainBuckets.map((bucket) => ({
      name: t("pricing.hourKind", { kind: bucketName(bucket, t), from, until }),
      cells: prices.map(({ price }) => {
        const rate = price.kind === "tokens" ? price.hours[at]?.rates[bucket] : undefined;
        return rate === undefined ? "–" : showDollars(rate * units[unit]);
      }),
    })),
  );
}

/** Returns the rows with what is charged beside the tokens. */
function besideRows(
  prices: ReturnType<typeof groupPrices>,
  t: T,
): { readonly name: string; readonly cells: readonly string[] }[] {
  const [first] = prices;
  if (first?.price.kind !== "tokens") return [];
  const names = {
    call: t("pricing.besideCall"),
    search: t("pricing.besideSearch"),
    searchingCall: t("pricing.besideSearchingCall"),
  };
  return first.price.beside.map(({ kind }) => ({
    name: names[kind],
    cells: prices.map(({ price }) => {
      const found =
        price.kind === "tokens" ? price.beside.find((one) => one.kind === kind) : undefined;
      return found === undefined ? "–" : showDollars(found.price);
    }),
  }));
}

/** Returns the rows with the prices of service tiers: only of what every model has. */
function tierRows(
  prices: ReturnType<typeof groupPrices>,
  unit: PricingSearch["unit"],
  t: T,
): { readonly name: string; readonly cells: readonly string[] }[] {
  const [first] = prices;
  if (first?.price.kind !== "tokens") return [];
  return first.price.tiers.flatMap(({ tier }, at) =>
    mainBuckets.map((bucket) => ({
      name: t("pricing.tierKind", { kind: bucketName(bucket, t), tier }),
      cells: prices.map(({ price }) => {
        const rate = price.kind === "tokens" ? price.tiers[at]?.rates[bucket] : undefined;
        return rate === undefined ? "–" : showDollars(rate * units[unit]);
      }),
    })),
  );
}

function perCallOf(price: ModelPrice): string {
  return price.kind === "call" ? showDollars(price.perCall) : "–";
}

function rateOf(price: ModelPrice, bucket: ShownBucket, unit: PricingSearch["unit"]): string {
  return price.kind === "tokens" ? showDollars(price.rates[bucket] * units[unit]) : "–";
}

import type { AppliedPrice, AppliedPrices } from "@tollgate/contract/endpoints/price-catalogue.ts";
import { Check, Sparkles } from "lucide-react";
import { useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { toast, toastFailure, toastSaved } from "#ui/overlays/toast.ts";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { briefBook } from "./book-lines.ts";
import type { Proposal, Proposals } from "./proposals.ts";

/** How many models are listed; of the others only the number is shown. */
const shownMax = 40;

/** Prices that are set at once, as one version. */
type AppliedNow = {
  readonly onApply: (entries: readonly AppliedPrice[]) => Promise<AppliedPrices>;
};

/** Prices that are kept until the form around them is saved. */
export type TakenPrices = {
  readonly taken: readonly AppliedPrice[];
  readonly onTaken: (taken: readonly AppliedPrice[]) => void;
};

/**
 * The models without a price, with what the catalogue proposes: all that match exactly are priced by
 * one press, the others one by one. Models of a local server are free, or get a price, all at once.
 */
export function PriceProposals(props: {
  readonly proposals: Proposals;
  /** Whether models that have a price are listed as well, to take another one. */
  readonly hasPriced?: boolean;
  readonly prices: AppliedNow | TakenPrices;
}) {
  const { date } = props.proposals;
  const t = useT();
  const { apply, isApplying } = useApplying(props.prices);
  const taken = "taken" in props.prices ? props.prices : null;
  const isTaken = new Set(taken?.taken.map(({ model }) => model));
  const rows = props.proposals.rows.map((row) =>
    isTaken.has(row.model) ? { ...row, isPriced: true } : row,
  );
  const open = rows.filter(({ isPriced }) => props.hasPriced === true || !isPriced);
  const exact = open.filter(({ match }) => match?.exact === true);
  const unknown = open.filter(({ match }) => match === null);
  const local = open.filter(({ isLocal }) => isLocal);
  if (rows.length === 0) return null;
  if (open.length === 0) {
    return (
      <div className="flex min-w-0 flex-col gap-2">
        <p className="text-sm">
          <Muted>{t("priceBook.allPriced")}</Muted>
        </p>
        <Taken prices={taken} />
      </div>
    );
  }
  return (
    <section aria-label={t("priceBook.proposals")} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-sm font-medium">
          {props.hasPriced === true
            ? t("priceBook.models", { count: open.length })
            : t("priceBook.open", { count: open.length })}{" "}
          <Muted>{t("priceBook.pricesOf", { date })}</Muted>
        </span>
        {exact.length > 0 && (
          <Button
            size="sm"
            variant="primary"
            loading={isApplying}
            icon={<Sparkles size={14} aria-hidden />}
            onClick={() => void apply(exact.flatMap(entryOf))}
          >
            {t("priceBook.takeExact", { count: exact.length })}
          </Button>
        )}
      </div>
      <Taken prices={taken} />
      {local.length > 0 && (
        <LocalQuestion
          models={local.map(({ model }) => model)}
          isApplying={isApplying}
          onApply={apply}
        />
      )}
      <ul className="flex min-w-0 flex-col gap-1">
        {open.slice(0, shownMax).map((row) => (
          <Row
            key={row.model}
            row={row}
            isApplying={isApplying}
            onTake={() => apply(entryOf(row))}
          />
        ))}
      </ul>
      {open.length > shownMax && (
        <Muted>{t("priceBook.moreModels", { count: open.length - shownMax })}</Muted>
      )}
      {unknown.length > 0 && local.length === 0 && (
        <p className="text-sm">
          <Muted>{t("priceBook.unknown", { count: unknown.length })}</Muted>
        </p>
      )}
    </section>
  );
}

/** Says which prices wait for the form to be saved, and takes them back. */
function Taken({ prices }: { readonly prices: TakenPrices | null }) {
  const t = useT();
  if (prices === null || prices.taken.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm" role="status">
      <span>{t("priceBook.taken", { count: prices.taken.length })}</span>
      <Button size="sm" variant="ghost" onClick={() => prices.onTaken([])}>
        {t("priceBook.untake")}
      </Button>
    </div>
  );
}

function Row(props: {
  readonly row: Proposal;
  readonly isApplying: boolean;
  readonly onTake: () => Promise<void>;
}) {
  const { row, isApplying } = props;
  const { model, match } = row;
  const t = useT();
  return (
    <li className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1 text-sm">
      <span className="flex min-w-0 items-center gap-2">
        <ModelMark model={model} />
        <span className="min-w-0 wrap-anywhere">{model}</span>
      </span>
      {match === null ? (
        <Muted>{nearestText(row, t)}</Muted>
      ) : (
        <span className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-2">
          {!match.exact && <Badge tone="warning">{t("priceBook.vendorPrice")}</Badge>}
          {match.facts.deprecated === true && <Badge>{t("priceBook.deprecated")}</Badge>}
          <span className="min-w-0 text-right wrap-anywhere tabular-nums">
            <Muted>
              {match.provider_name} · {match.entry}
            </Muted>{" "}
            {briefBook(match.prices, t)}
          </span>
          <Button
            size="sm"
            aria-label={t("priceBook.takeNamed", { model })}
            disabled={isApplying}
            icon={<Check size={14} aria-hidden />}
            onClick={() => void props.onTake()}
          >
            {t("priceBook.take")}
          </Button>
        </span>
      )}
    </li>
  );
}

function nearestText({ nearest }: Proposal, t: T): string {
  return nearest === null ? t("priceBook.noMatch") : t("priceBook.nearest", { name: nearest });
}

/** Asks once for all models of a local server whether they are free, or what they cost. */
function LocalQuestion(props: {
  readonly models: readonly string[];
  readonly isApplying: boolean;
  readonly onApply: (entries: readonly AppliedPrice[]) => Promise<void>;
}) {
  const { models, isApplying, onApply } = props;
  const t = useT();
  const [input, setInput] = useState("");
  const [output, setOutput] = useState("");
  const [inputPrice, outputPrice] = [input, output].map(parseDecimal);
  const tokens =
    inputPrice?.ok === true && outputPrice?.ok === true
      ? { input: inputPrice.value, output: outputPrice.value }
      : undefined;
  return (
    <Banner title={t("priceBook.localTitle", { count: models.length })}>
      <div className="mt-1 flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          disabled={isApplying}
          onClick={() => void onApply(models.map((model) => ({ model, free: true })))}
        >
          {t("priceBook.localFree")}
        </Button>
        <span>{t("priceBook.localOr")}</span>
        <Dollars label={t("priceBook.input")} value={input} onChange={setInput} />
        <Dollars label={t("priceBook.output")} value={output} onChange={setOutput} />
        <Button
          size="sm"
          disabled={isApplying || tokens === undefined}
          onClick={() =>
            tokens !== undefined &&
            void onApply(models.map((model) => ({ model, prices: { tokens } })))
          }
        >
          {t("priceBook.localPrice")}
        </Button>
      </div>
    </Banner>
  );
}

function Dollars(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const { label, value, onChange } = props;
  const t = useT();
  const name = t("priceBook.perMillion", { kind: label });
  return (
    <span className="w-40">
      <Input
        aria-label={name}
        placeholder={name}
        inputMode="decimal"
        prefix="$"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  );
}

/** Returns the entry that prices a model by its match; none where there is no match. */
function entryOf({ model, match }: Proposal): readonly AppliedPrice[] {
  return match === null ? [] : [{ model, provider: match.provider, entry: match.entry }];
}

function useApplying(prices: AppliedNow | TakenPrices) {
  const send = useSendPrices();
  const [isApplying, setApplying] = useState(false);
  async function apply(entries: readonly AppliedPrice[]) {
    if ("taken" in prices) {
      const models = new Set(entries.map(({ model }) => model));
      prices.onTaken([...prices.taken.filter(({ model }) => !models.has(model)), ...entries]);
      return;
    }
    setApplying(true);
    await send(entries, prices.onApply);
    setApplying(false);
  }
  return { apply, isApplying };
}

/** Returns the function that sets prices and tells what came of it. Never rejects. */
export function useSendPrices() {
  const t = useT();
  return async (entries: readonly AppliedPrice[], send: AppliedNow["onApply"]): Promise<void> => {
    try {
      const { applied, unpriced } = await send(entries);
      if (applied.length > 0) toastSaved(t("priceBook.priced", { count: applied.length }));
      const [first] = unpriced;
      if (first === undefined) return;
      toast({
        tone: "warning",
        title: t("priceBook.stillOpen", { count: unpriced.length }),
        description: `${first.model}: ${showMessage(first.reason, t)}`,
      });
    } catch (error) {
      toastFailure(t("priceBook.applyFailed"), error);
    }
  };
}

import type { DraftLine } from "@tollgate/contract/endpoints/price-sources.ts";
import { useMemo, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { lineTexts, waitText } from "./source-texts.ts";

/** How many models are shown at first, and with each press more. */
const modelsAtOnce = 50;

/** The lines of a draft by model, each with its prices now and proposed. */
export function DraftModels(props: {
  readonly lines: readonly DraftLine[];
  /** The numbers of the chosen lines; null: nothing can be chosen any more. */
  readonly picked: ReadonlySet<number> | null;
  readonly onPick: (line: number, isPicked: boolean) => void;
}) {
  const { lines, picked, onPick } = props;
  const t = useT();
  const [shown, setShown] = useState(modelsAtOnce);
  const models = useMemo(() => [...Map.groupBy(lines, ({ model }) => model)], [lines]);
  return (
    <>
      <ul className="flex min-w-0 flex-col gap-3">
        {models.slice(0, shown).map(([model, own]) => (
          <li key={model} className="flex min-w-0 flex-col gap-1">
            <span className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
              <ModelMark model={model} />
              <span className="min-w-0 font-medium wrap-anywhere">{model}</span>
              <Muted>{sourceText(own[0], t)}</Muted>
            </span>
            <ul className="flex min-w-0 flex-col">
              {own.map((line) => (
                <Line key={line.line} line={line} picked={picked} onPick={onPick} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {shown < models.length && (
        <span>
          <Button size="sm" onClick={() => setShown(shown + modelsAtOnce)}>
            {t("priceSources.moreModels", { count: models.length - shown })}
          </Button>
        </span>
      )}
    </>
  );
}

function sourceText(line: DraftLine | undefined, t: T): string {
  if (line === undefined) return "";
  const { vendor, entry, date } = line;
  const name = vendor === "" || entry.startsWith(`${vendor}/`) ? entry : `${vendor}/${entry}`;
  return t("priceSources.from", { name, date });
}

function Line(props: {
  readonly line: DraftLine;
  readonly picked: ReadonlySet<number> | null;
  readonly onPick: (line: number, isPicked: boolean) => void;
}) {
  const { line, picked, onPick } = props;
  const t = useT();
  const { name, before, after } = lineTexts(line, t);
  const isOpen = picked !== null && line.state === "open";
  return (
    <li className="flex min-w-0 flex-wrap items-center justify-between gap-x-4 py-1 text-sm">
      {isOpen ? (
        <Checkbox
          checked={picked.has(line.line)}
          label={name}
          onChange={(isPicked) => onPick(line.line, isPicked)}
          aria-label={`${line.model} ${name}`}
        />
      ) : (
        <span className="flex min-h-control-small items-center gap-2">
          {name}
          <Badge tone={line.state === "accepted" ? "success" : "neutral"}>
            {stateText(line, t)}
          </Badge>
        </span>
      )}
      <span className="ml-auto min-w-0 text-right wrap-anywhere tabular-nums">
        <Muted>{before ?? t("priceSources.noPrice")} → </Muted>
        {after}
        {line.change !== null && <Muted> {percentText(line.change)}</Muted>}
      </span>
      {isOpen && line.waits.length > 0 && (
        <span className="basis-full">
          <Muted>
            {line.waits.map((reason) => waitText(reason, t)).join(t("priceSources.and"))}
          </Muted>
        </span>
      )}
      {line.message !== "" && (
        <span className="basis-full">
          <Badge tone="danger">{showMessage(line.message, t)}</Badge>
        </span>
      )}
    </li>
  );
}

function stateText({ state }: DraftLine, t: T): string {
  switch (state) {
    case "accepted":
      return t("priceSources.stateAccepted");
    case "refused":
      return t("priceSources.stateRefused");
    case "open":
      return t("priceSources.stateOpen");
  }
}

function percentText(change: number): string {
  return `(${change > 0 ? "+" : ""}${change.toLocaleString("en-US")} %)`;
}

import type { ChannelCosts, saveChannelCosts } from "@tollgate/contract/endpoints/costs.ts";
import { type ReactNode, useId, useState } from "react";
import type { z } from "zod";
import { showTimeExactly } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { toastError, toastSaved } from "#ui/overlays/toast.ts";
import {
  type CostColumn,
  costColumns,
  costsToSend,
  type TypedCosts,
  typedIn,
} from "./cost-rows.ts";

export type SentCosts = Omit<z.input<typeof saveChannelCosts.input>, "id">;

type ReadCosts = {
  readonly data: ChannelCosts | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
};

type SaveCosts = {
  readonly isPending: boolean;
  readonly mutateAsync: (sent: SentCosts) => Promise<unknown>;
};

/**
 * What a saved channel charges, for root: prices of the catalogue × a factor, or typed by model. It is
 * saved by itself, as a new version, and not with the channel.
 */
export function CostPanel({ read, save }: { read: ReadCosts; save: SaveCosts }) {
  const { data, error, refetch } = read;
  if (data === undefined) {
    return error === null ? null : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  // Another version has other fields: what was typed before is dropped with the old ones.
  return <CostFields key={data.version} save={save} costs={data} />;
}

function CostFields({ save, costs }: { save: SaveCosts; costs: ChannelCosts }) {
  const t = useT();
  const [factor, setFactor] = useState(costs.factor);
  const [typed, setTyped] = useState(() => typedIn(costs));
  const factorId = useId();
  const change = (model: string, column: CostColumn, value: string) =>
    setTyped((before) => ({ ...before, [model]: { ...before[model], [column]: value } }));
  const submit = async () => {
    try {
      await save.mutateAsync({ factor, models: costsToSend(costs, typed) });
      toastSaved(t("channels.costsSaved"));
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <Muted>{t("channels.costsNote")}</Muted>
      <label htmlFor={factorId} className="text-sm font-medium">
        {t("channels.costFactor")}
      </label>
      <Input
        id={factorId}
        value={factor}
        inputMode="decimal"
        placeholder={t("channels.costFactorPlaceholder")}
        onChange={(event) => setFactor(event.target.value)}
      />
      <Muted>{t("channels.costFactorNote")}</Muted>
      <CostTable costs={costs} typed={typed} onChange={change} />
      <div className="flex flex-wrap items-center gap-3">
        <Button loading={save.isPending} onClick={() => void submit()}>
          {t("channels.costsSave")}
        </Button>
        <LinkButton to="/margins">{t("channels.costsMargins")}</LinkButton>
        <Muted>{versionOf(costs, t)}</Muted>
      </div>
    </div>
  );
}

function versionOf(
  { version, created_at, username, catalogue }: ChannelCosts,
  t: ReturnType<typeof useT>,
): string {
  if (version === 0) return t("channels.costsNone");
  const by = username === "" ? t("channels.costsBySystem") : username;
  const said = t("channels.costsVersion", { version, by, time: showTimeExactly(created_at) });
  return catalogue === "" ? said : `${said} · ${t("channels.costsCatalogue", { date: catalogue })}`;
}

function CostTable(props: {
  readonly costs: ChannelCosts;
  readonly typed: TypedCosts;
  readonly onChange: (model: string, column: CostColumn, value: string) => void;
}) {
  const { costs, typed, onChange } = props;
  const t = useT();
  const titles = {
    input: t("channels.costInput"),
    output: t("channels.costOutput"),
    cacheRead: t("channels.costCacheRead"),
    cacheWrite5m: t("channels.costCacheWrite5m"),
    cacheWrite1h: t("channels.costCacheWrite1h"),
    perCall: t("channels.costPerCall"),
  } as const satisfies Record<CostColumn, string>;
  return (
    <table className="w-full text-sm max-sm:block sm:table-fixed">
      <thead className="max-sm:hidden">
        <tr className="text-left align-bottom">
          <th scope="col" className="w-1/4 py-1 pr-2 font-medium">
            <Muted>{t("channels.costModel")}</Muted>
          </th>
          {costColumns.map((column) => (
            <th key={column} scope="col" className="py-1 pr-2 font-medium">
              <Muted>{titles[column]}</Muted>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {costs.effective.map(({ model, from, prices }) => (
          <tr key={model} className="max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-2 max-sm:py-2">
            <th
              scope="row"
              className="py-1 pr-2 text-left font-normal wrap-anywhere max-sm:col-span-2"
            >
              {model} <From from={from} />
            </th>
            {costColumns.map((column) => (
              <td key={column} className="py-1 sm:pr-2">
                <span aria-hidden="true" className="text-xs sm:hidden">
                  <Muted>{titles[column]}</Muted>
                </span>
                <Input
                  aria-label={`${model} ${titles[column]}`}
                  inputMode="decimal"
                  value={typed[model]?.[column] ?? ""}
                  placeholder={
                    (column === "perCall" ? prices?.perCall : prices?.tokens?.[column]) ?? "–"
                  }
                  onChange={(event) => onChange(model, column, event.target.value)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function From({ from }: Pick<ChannelCosts["effective"][number], "from">): ReactNode {
  const t = useT();
  switch (from) {
    case "typed":
      return <Badge tone="info">{t("channels.costTyped")}</Badge>;
    case "catalogue":
      return <Badge tone="success">{t("channels.costCatalogued")}</Badge>;
    case null:
      return <Badge tone="warning">{t("channels.costUnknown")}</Badge>;
  }
}

import { readPastedKeys } from "@tollgate/contract/fields/channel-keys.ts";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useRefusals, useSetFormValue } from "#ui/form/Field.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { toast, toastFailure } from "#ui/overlays/toast.ts";
import { F, useSettingFields } from "./channel-fields.ts";
import { settingOf } from "./channel-setting.ts";
import { readMapping } from "./channel-form.ts";
import { applyDiff, byBrand, diffModels, type ModelsDiff } from "./channel-models.ts";
import { fetchModels } from "#features/channels/channels.api.ts";

/**
 * Asks the upstream for its models, with the unsaved values in the sheet, and lets the user add the
 * new ones and remove those that are gone.
 */
export function FetchModels({ canList, id }: { canList: boolean; id: number | undefined }) {
  const t = useT();
  const type = F.useValue("type");
  const base_url = F.useValue("base_url");
  const other = F.useValue("other");
  const setting = settingOf(useSettingFields());
  const key = readPastedKeys(F.useValue("key")).keys[0]?.text ?? "";
  const models = F.useValue("models");
  const mapping = F.useValue("model_mapping");
  const setValue = useSetFormValue();
  const { showRefusal, clearRefusals } = useRefusals();
  const [fetching, setFetching] = useState(false);
  const [diff, setDiff] = useState<ModelsDiff | null>(null);

  async function fetchDiff(): Promise<void> {
    setFetching(true);
    clearRefusals();
    try {
      const upstream = await fetchModels({ type, base_url, other, setting, key, id });
      const found = diffModels(models, upstream, readMapping(mapping));
      if (found.fresh.length + found.gone.length > 0) setDiff(found);
      else toast({ tone: "success", title: t("channels.diffNone", { count: upstream.length }) });
    } catch (error) {
      if (!showRefusal(error)) toastFailure(t("widgets.modelsFailed"), error);
    } finally {
      setFetching(false);
    }
  }

  return (
    <>
      <Button
        size="sm"
        icon={<RefreshCw size={14} aria-hidden />}
        loading={fetching}
        disabled={!canList}
        onClick={() => void fetchDiff()}
      >
        {t("channels.fetchModels")}
      </Button>
      {!canList && type !== 0 && (
        <span className="text-xs">
          <Muted>{t("channels.cannotFetch")}</Muted>
        </span>
      )}
      {diff !== null && (
        <DiffDialog
          diff={diff}
          // A new channel takes what its upstream has. In a saved channel the models were chosen.
          isAllChosen={id === undefined || models.length === 0}
          onClose={() => setDiff(null)}
          onApply={(added, removed) => {
            setValue("models", applyDiff(models, added, removed));
            setDiff(null);
          }}
        />
      )}
    </>
  );
}

type Names = ReadonlySet<string>;

function DiffDialog(props: {
  diff: ModelsDiff;
  /** Whether all differences are chosen at first. */
  isAllChosen: boolean;
  onClose: () => void;
  onApply: (added: Names, removed: Names) => void;
}) {
  const { diff, isAllChosen, onClose, onApply } = props;
  const t = useT();
  const [keyword, setKeyword] = useState("");
  const [added, setAdded] = useState<Names>(new Set(isAllChosen ? diff.fresh : []));
  const [removed, setRemoved] = useState<Names>(new Set(isAllChosen ? diff.gone : []));
  const needle = keyword.trim().toLowerCase();
  const found = (names: readonly string[]) =>
    names.filter((name) => name.toLowerCase().includes(needle));
  const count = added.size + removed.size;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("channels.diffTitle")}
      description={t("channels.diffSummary", {
        fresh: diff.fresh.length,
        gone: diff.gone.length,
        kept: diff.keptCount,
      })}
      footer={
        <>
          <Button onClick={onClose}>{t("channels.cancel")}</Button>
          <Button variant="primary" disabled={count === 0} onClick={() => onApply(added, removed)}>
            {count === 0
              ? t("channels.diffApplyNone")
              : t("channels.diffApply", { added: added.size, removed: removed.size })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SearchInput
          value={keyword}
          onChange={setKeyword}
          placeholder={t("channels.searchModels")}
        />
        {/* Models that the upstream no longer has come first, because calls of them fail. */}
        <NameChoice
          title={t("channels.diffGone")}
          names={found(diff.gone)}
          chosen={removed}
          onChange={setRemoved}
        />
        {byBrand(found(diff.fresh)).map(({ name, models }) => (
          <NameChoice
            key={name ?? ""}
            title={
              name === null ? t("channels.diffFresh") : t("channels.diffFreshOf", { brand: name })
            }
            names={models}
            chosen={added}
            onChange={setAdded}
          />
        ))}
      </div>
    </Dialog>
  );
}

/** The largest number of names that are drawn; to see others, the user searches. */
const drawnMax = 300;

function NameChoice(props: {
  title: string;
  names: readonly string[];
  chosen: Names;
  onChange: (chosen: Names) => void;
}) {
  const { title, names, chosen, onChange } = props;
  const t = useT();
  if (names.length === 0) return null;
  const chosenCount = names.filter((name) => chosen.has(name)).length;
  const set = (some: readonly string[], on: boolean): void => {
    const next = new Set(chosen);
    for (const name of some) {
      if (on) next.add(name);
      else next.delete(name);
    }
    onChange(next);
  };
  return (
    <div role="group" aria-label={title} className="flex flex-col gap-1">
      <Checkbox
        checked={chosenCount === names.length ? true : chosenCount > 0 ? "mixed" : false}
        onChange={(on) => set(names, on)}
        label={
          <span className="font-medium">
            {t("channels.diffAll", { title, count: names.length })}
          </span>
        }
      />
      <div className="grid gap-x-4 pl-6 sm:grid-cols-2">
        {names.slice(0, drawnMax).map((name) => (
          <Checkbox
            key={name}
            checked={chosen.has(name)}
            onChange={(on) => set([name], on)}
            label={<span className="font-mono text-xs break-all">{name}</span>}
          />
        ))}
      </div>
      {names.length > drawnMax && (
        <Muted>{t("channels.diffMore", { count: names.length - drawnMax })}</Muted>
      )}
    </div>
  );
}

import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { MultiCombobox } from "#ui/controls/MultiCombobox.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useSetFormValue } from "#ui/form/Field.tsx";
import { MappingEditor } from "#ui/editor/MappingEditor.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { F, useChosenType } from "./channel-fields.ts";
import type { ChannelType } from "./channel-form.ts";
import { readCustomModels } from "./channel-models.ts";
import * as api from "#features/channels/channels.api.ts";
import { useProposals } from "#features/channels/money.api.ts";
import { PriceProposals, type TakenPrices } from "#widgets/prices/PriceProposals.tsx";
import { proposalSources } from "#widgets/prices/proposal-sources.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { FetchModels } from "./FetchModels.tsx";
import { checkModelMapping, examples } from "#widgets/channels/mapping-check.ts";
import { TryChannel } from "./TryChannel.tsx";

const none: readonly string[] = [];

/** The channel's models, their names at the upstream, and the button that tests the channel. */
export function ModelFields(props: {
  types: readonly ChannelType[];
  /** The channel's id; undefined: a new channel. */
  id: number | undefined;
  /** The prices that are saved with the channel. */
  prices: TakenPrices;
}) {
  const { types, id, prices } = props;
  const t = useT();
  const type = useChosenType(types);
  const { data: known } = api.useKnownModels();
  const models = F.useValue("models");
  const related = type?.models ?? none;
  const names = useMemo(() => [...new Set([...related, ...(known ?? [])])], [related, known]);
  const items = useMemo(() => names.map((name) => ({ value: name, label: name })), [names]);
  const own = useMemo(() => models.map((name) => ({ value: name, label: name })), [models]);
  return (
    <>
      <div className="flex flex-col gap-2">
        <F.Custom name="models" label={t("channels.models")} required>
          {({ value, onChange, ...control }) => (
            <MultiCombobox
              {...control}
              items={items}
              value={value}
              onChange={onChange}
              creatable
              loading={known === undefined}
              placeholder={t("channels.modelsPlaceholder")}
            />
          )}
        </F.Custom>
        <div className="flex flex-wrap items-center gap-2">
          <FetchModels canList={type?.lists_models === true} id={id} />
          <ModelButtons related={related} all={names} />
        </div>
        <CustomModels />
        <ModelPrices prices={prices} />
      </div>
      <F.Custom
        name="model_mapping"
        label={t("channels.modelMapping")}
        help={t("channels.modelMappingHelp")}
        grouped
      >
        {(control) => (
          <MappingEditor
            {...control}
            label={t("channels.modelMapping")}
            keyLabel={t("channels.clientModel")}
            valueLabel={t("channels.upstreamModel")}
            keyItems={own}
            check={(text) => checkModelMapping(text, models, t)}
            example={examples.model_mapping}
          />
        )}
      </F.Custom>
      <F.Combobox
        name="test_model"
        label={t("channels.testModelField")}
        items={own}
        creatable
        clearable
        placeholder={models[0] ?? ""}
        help={t("channels.testModelHelp")}
      />
      <TryChannel id={id} testable={type?.testable !== false} />
    </>
  );
}

function ModelButtons({ related, all }: { related: readonly string[]; all: readonly string[] }) {
  const t = useT();
  const models = F.useValue("models");
  const setValue = useSetFormValue();
  const add = (names: readonly string[]) => () =>
    setValue("models", [...new Set([...models, ...names])]);
  return (
    <>
      <Button size="sm" disabled={related.length === 0} onClick={add(related)}>
        {t("channels.fillRelated")}
      </Button>
      <Button size="sm" disabled={all.length === 0} onClick={add(all)}>
        {t("channels.fillAll")}
      </Button>
      <Button size="sm" disabled={models.length === 0} onClick={() => setValue("models", [])}>
        {t("channels.clearModels")}
      </Button>
      <span className="text-xs">
        <Muted>{t("channels.modelCount", { count: models.length })}</Muted>
      </span>
    </>
  );
}

/**
 * An input that adds models which no list has; several names can be typed at once, separated by
 * commas.
 */
function CustomModels() {
  const t = useT();
  const [text, setText] = useState("");
  const models = F.useValue("models");
  const setValue = useSetFormValue();
  function add(): void {
    const { fresh, known } = readCustomModels(text, models);
    if (known.length > 0) toast({ tone: "warning", title: t("channels.modelsExist") });
    if (fresh.length > 0) setValue("models", [...models, ...fresh]);
    setText("");
  }
  return (
    <div className="flex gap-2">
      <Input
        aria-label={t("channels.customModels")}
        placeholder={t("channels.customModelsPlaceholder")}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          add();
        }}
      />
      <Button disabled={text.trim() === ""} onClick={add}>
        {t("channels.addModels")}
      </Button>
    </div>
  );
}

/**
 * What the catalogue proposes for the channel's models that have no price, before the channel is
 * saved. Only root sets prices.
 */
function ModelPrices({ prices }: { prices: TakenPrices }) {
  const isRoot = useSession()?.role === role.enum.root;
  const type = F.useValue("type");
  const baseUrl = F.useValue("base_url");
  const models = F.useValue("models");
  const mapping = F.useValue("model_mapping");
  const sources = useMemo(
    () => (isRoot ? proposalSources(type, baseUrl, models, mapping) : []),
    [isRoot, type, baseUrl, models, mapping],
  );
  const { data } = useProposals(sources);
  return sources.length === 0 || data === undefined ? null : (
    <PriceProposals proposals={data} prices={prices} />
  );
}

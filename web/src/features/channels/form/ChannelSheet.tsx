import { useNavigate } from "@tanstack/react-router";
import { type Channel, channelMissing } from "@tollgate/contract/endpoints/channels.ts";
import type { AppliedPrice } from "@tollgate/contract/endpoints/price-catalogue.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useMemo, useState } from "react";
import { useApplyPrices, useChannelCosts, useSaveCosts } from "#features/channels/money.api.ts";
import { CostPanel } from "#widgets/costs/CostPanel.tsx";
import { type T, useT } from "#i18n/t.ts";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { toast, toastSaved } from "#ui/overlays/toast.ts";
import { useSendPrices } from "#widgets/prices/PriceProposals.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import { AdvancedFields } from "./AdvancedFields.tsx";
import { BasicFields, RoutingFields } from "./BasicFields.tsx";
import {
  channelFormSchema,
  type ChannelType,
  emptyForm,
  formOf,
  isSameRecord,
  type SentChannel,
} from "./channel-form.ts";
import * as api from "#features/channels/channels.api.ts";
import { KeyFields } from "./KeyFields.tsx";
import { ModelFields } from "./ModelFields.tsx";
import { StandingPanel } from "./StandingPanel.tsx";

/**
 * The sheet that edits a channel, or creates one if `id` is 0. `known` is the channel as the list
 * shows it, if it does.
 */
export function ChannelSheet(props: {
  id: number;
  open: boolean;
  known: Channel | undefined;
  onClose: () => void;
}) {
  const { id, open, known, onClose } = props;
  const t = useT();
  const types = api.useChannelTypes();
  const read = api.useChannel(known === undefined && open ? id : 0);
  // The channel as it was when the sheet opened. Saving compares with it, to notice changes that
  // somebody else has made meanwhile.
  const [record, setRecord] = useState(known);
  const found = record ?? known ?? read.data;
  if (record === undefined && found !== undefined) setRecord(found);
  if (types.data !== undefined && (id === 0 || found !== undefined)) {
    return <ChannelForm {...props} record={found} types={types.data} />;
  }
  const error = types.error ?? read.error;
  return (
    <Sheet open={open} onClose={onClose} title={t("channels.edit")} width="lg">
      {error === null ? (
        <FormOutline />
      ) : (
        <ErrorState
          error={error}
          onRetry={() => void Promise.all([types.refetch(), read.refetch()])}
        />
      )}
    </Sheet>
  );
}

function ChannelForm(props: {
  open: boolean;
  record: Channel | undefined;
  types: readonly ChannelType[];
  onClose: () => void;
}) {
  const { open, record, types, onClose } = props;
  const t = useT();
  const isNew = record === undefined;
  const isRoot = useSession()?.role === role.enum.root;
  const schema = useMemo(() => channelFormSchema({ t, types, isNew }), [t, types, isNew]);
  const values = useMemo(() => (record === undefined ? emptyForm : formOf(record)), [record]);
  // Prices are set when the channel has been saved, and not when the form is closed.
  const [taken, setTaken] = useState<readonly AppliedPrice[]>([]);
  const save = useSave(record, taken);
  const stale = record === undefined ? {} : { checkStale: async () => await isStale(record, t) };
  return (
    <FormSheet
      open={open}
      title={isNew ? t("channels.createTitle") : t("channels.editTitle", { name: record.name })}
      width="lg"
      schema={schema}
      values={values}
      onSubmit={save}
      onClose={() => {
        setTaken([]);
        onClose();
      }}
      submitLabel={isNew ? t("channels.create") : t("channels.save")}
      {...stale}
    >
      {record !== undefined && <StandingPanel id={record.id} />}
      <FormSection id="basic" title={t("channels.sectionBasic")}>
        <BasicFields types={types} isNew={isNew} />
        <KeyFields types={types} record={record} />
      </FormSection>
      <FormSection id="models" title={t("channels.sectionModels")}>
        <ModelFields types={types} id={record?.id} prices={{ taken, onTaken: setTaken }} />
      </FormSection>
      <FormSection id="routing" title={t("channels.sectionRouting")}>
        <RoutingFields />
      </FormSection>
      {record !== undefined && isRoot && (
        <FormSection id="costs" title={t("channels.sectionCosts")} folded>
          <Costs id={record.id} />
        </FormSection>
      )}
      <FormSection id="advanced" title={t("channels.sectionAdvanced")} folded>
        <AdvancedFields types={types} />
      </FormSection>
    </FormSheet>
  );
}

/**
 * Whether somebody else has changed the channel. One that was deleted closes its form, with a word,
 * because it can be saved no more.
 */
async function isStale(record: Channel, t: T): Promise<boolean | "gone"> {
  try {
    return !isSameRecord(record, await api.readChannelNow(record.id));
  } catch (error) {
    if (!(error instanceof Error) || error.message !== channelMissing) throw error;
    toast({ tone: "warning", title: t("channels.goneElsewhere", { name: record.name }) });
    return "gone";
  }
}

function useSave(
  record: Channel | undefined,
  taken: readonly AppliedPrice[],
): (sent: SentChannel) => Promise<void> {
  const t = useT();
  const create = api.useCreateChannel();
  const update = api.useUpdateChannel();
  const navigate = useNavigate();
  const { mutateAsync: applyPrices } = useApplyPrices();
  const sendPrices = useSendPrices();
  const canPrice = useSession()?.role === role.enum.root;
  return async (sent) => {
    if (record !== undefined) {
      await update({ ...sent, id: record.id });
      toastSaved(t("channels.saved", { name: sent.name ?? "" }));
      await savePrices(sent);
      return;
    }
    const ids = await create(sent);
    const title =
      ids.length === 1
        ? t("channels.created", { name: sent.name ?? "" })
        : t("channels.createdCount", { count: ids.length });
    toast({ tone: "success", title });
    await savePrices(sent);
    void warnOfUnpriced(sent);
  };

  /** Sets the prices that were taken, of models that the channel still has. */
  async function savePrices(sent: SentChannel): Promise<void> {
    const models = new Set((sent.models ?? "").split(","));
    const entries = taken.filter(({ model }) => models.has(model));
    if (entries.length > 0) await sendPrices(entries, applyPrices);
  }

  /**
   * Warns if a saved channel has models without a price. The channel is saved already, so an error
   * of this check is not shown.
   */
  async function warnOfUnpriced(sent: SentChannel): Promise<void> {
    const names = (sent.models ?? "").split(",");
    const unpriced = await api.readUnpriced(names).catch(() => []);
    if (unpriced.length === 0) return;
    const title = t("channels.createdUnpriced", { count: unpriced.length });
    const label = t("channels.setPrices");
    const onClick = () =>
      void navigate({
        to: "/prices",
        // Cast: the router knows the parameters of each address only in the routes, which features
        // may not import.
        search: { show: "unpriced" } as unknown as true,
      });
    const action = canPrice ? { label, onClick } : undefined;
    toast({ tone: "warning", title, durationMs: 0, action });
  }
}

function Costs({ id }: { id: number }) {
  return <CostPanel read={useChannelCosts(id)} save={useSaveCosts(id)} />;
}

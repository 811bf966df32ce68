import type { Redemption } from "@tollgate/contract/endpoints/redemptions.ts";
import {
  redemptionBatchMax,
  redemptionUserLimitMax,
} from "@tollgate/contract/endpoints/redemptions.ts";
import { Download } from "lucide-react";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import {
  newRedemptionForm,
  quotaPresets,
  type RedemptionForm,
  redemptionFormOf,
  redemptionSchema,
} from "./redemption-form.ts";
import { useCreateRedemptions, useGroupNames, useUpdateRedemption } from "./redemptions.api.ts";
import { saveCodes } from "./use-redemption-actions.tsx";

const F = fieldsOf<RedemptionForm>();

/** A sheet that creates codes. `onCreated` receives them. */
export function NewRedemptionSheet(props: {
  onCreated: (codes: readonly string[], name: string) => void;
  onClose: () => void;
}) {
  const t = useT();
  const create = useCreateRedemptions();
  const [openedAt] = useState(() => Math.floor(Date.now() / 1_000));
  const schema = useMemo(() => redemptionSchema(t, openedAt), [t, openedAt]);
  return (
    <FormSheet
      open
      title={t("redemptions.createTitle")}
      submitLabel={t("redemptions.submitCreate")}
      schema={schema}
      values={newRedemptionForm}
      onSubmit={async ({ code, count }) => {
        props.onCreated(await create.mutateAsync({ ...code, count }), code.name);
      }}
      onClose={props.onClose}
    >
      <RedemptionFields isNew />
    </FormSheet>
  );
}

/** A sheet that edits an unused code. The parent mounts a new sheet for each code. */
export function EditRedemptionSheet(props: { row: Redemption; onClose: () => void }) {
  const t = useT();
  const update = useUpdateRedemption();
  const [row] = useState(props.row);
  const [values] = useState(() => redemptionFormOf(row));
  const schema = useMemo(() => redemptionSchema(t, null), [t]);
  return (
    <FormSheet
      open
      title={t("redemptions.editTitle")}
      description={row.name}
      schema={schema}
      values={values}
      onSubmit={async ({ code }) => {
        await update.mutateAsync({ id: row.id, ...code });
        toastSaved(t("redemptions.saved"));
      }}
      onClose={props.onClose}
    >
      <RedemptionFields isNew={false} />
    </FormSheet>
  );
}

function RedemptionFields({ isNew }: { isNew: boolean }) {
  const t = useT();
  const groups = useGroupNames();
  const items = useMemo(
    () => (groups.data ?? []).map((name) => ({ value: name, label: name })),
    [groups.data],
  );
  return (
    <>
      <FormSection id="basic" title={t("redemptions.sectionBasic")}>
        <F.Text
          name="name"
          label={t("redemptions.name")}
          help={isNew ? t("redemptions.nameHelp") : undefined}
          placeholder={t("redemptions.namePlaceholder")}
          required={!isNew}
          autoFocus={isNew}
        />
        <F.Custom name="quota" label={t("redemptions.quota")} required>
          {(control) => <QuotaInput {...control} presets={quotaPresets} />}
        </F.Custom>
        {isNew && (
          <F.Number
            name="count"
            label={t("redemptions.count")}
            help={t("redemptions.countHelp", { max: redemptionBatchMax })}
            min={1}
            max={redemptionBatchMax}
          />
        )}
      </FormSection>
      <FormSection id="rules" title={t("redemptions.sectionRules")}>
        <F.Combobox
          name="group"
          label={t("redemptions.group")}
          help={t("redemptions.groupHelp")}
          items={items}
          placeholder={t("redemptions.groupAny")}
          clearable
        />
        <F.Number
          name="user_limit"
          label={t("redemptions.userLimit")}
          help={t("redemptions.userLimitHelp")}
          min={1}
          max={redemptionUserLimitMax}
          placeholder={t("redemptions.noLimit")}
        />
        <F.DateTime name="expired_time" label={t("redemptions.expiry")} clearable />
      </FormSection>
    </>
  );
}

/** A sheet with the codes that were just created. It stays open until it is closed. */
export function CreatedSheet(props: {
  codes: readonly string[];
  name: string;
  onClose: () => void;
}) {
  const { codes, name, onClose } = props;
  const t = useT();
  const text = codes.join("\n");
  return (
    <Sheet
      open
      onClose={onClose}
      title={t("redemptions.createdTitle", { count: codes.length })}
      description={name}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("redemptions.done")}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Banner tone="success" title={t("redemptions.createdNote")} />
        <Textarea
          readOnly
          fixedWidth
          aria-label={t("redemptions.code")}
          rows={Math.min(Math.max(codes.length, 2), 14)}
          wrap="off"
          value={text}
        />
        <div className="flex justify-end gap-2">
          <Button
            size="sm"
            icon={<Download size={14} aria-hidden />}
            onClick={() => saveCodes(codes, name === "" ? "redemption-codes" : name)}
          >
            {t("redemptions.download")}
          </Button>
          <CopyButton secret text={text} label={t("redemptions.copyAll")} variant="primary" />
        </div>
      </div>
    </Sheet>
  );
}

import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { GroupPicker } from "#widgets/people/GroupPicker.tsx";
import { ModelPicker } from "#widgets/models/ModelPicker.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { BudgetBars } from "#widgets/tokens/BudgetBars.tsx";
import { ExpiryInput } from "./ExpiryInput.tsx";
import { OldKeyNote } from "./RotateSheet.tsx";
import { BudgetFields, RateFields, TaskSections } from "./TokenExtras.tsx";
import {
  countMax,
  countPresets,
  isChangedElsewhere,
  newTokenForm,
  quotaPresets,
  type TokenForm,
  tokenFormOf,
  tokenSchema,
} from "./token-form.ts";
import {
  type CreatedTokens,
  readTokenNow,
  type TokenSource,
  useCreateTokens,
  useOwnGroups,
  useOwnModels,
  useUpdateToken,
} from "./tokens.api.ts";

const F = fieldsOf<TokenForm>();

/** A sheet that creates one or several tokens. `onCreated` receives them with their whole keys. */
export function NewTokenSheet(props: {
  onCreated: (created: CreatedTokens, wanted: number) => void;
  onClose: () => void;
}) {
  const t = useT();
  const create = useCreateTokens();
  const [openedAt] = useState(() => Math.floor(Date.now() / 1_000));
  const schema = useMemo(() => tokenSchema(t, openedAt), [t, openedAt]);
  return (
    <FormSheet
      open
      title={t("tokens.createTitle")}
      submitLabel={t("tokens.submitCreate")}
      schema={schema}
      values={newTokenForm}
      onSubmit={async (draft) => {
        const created = await create.mutateAsync(draft);
        props.onCreated(created, draft.count);
      }}
      onClose={props.onClose}
    >
      <TokenFields token={null} />
    </FormSheet>
  );
}

/** A sheet that edits a token. The parent mounts a new sheet for each token. */
export function EditTokenSheet(props: { source: TokenSource; token: Token; onClose: () => void }) {
  const t = useT();
  const update = useUpdateToken(props.source);
  // The token as it was when the sheet opened. The list is read again meanwhile; saving compares
  // with this copy.
  const [read] = useState(props.token);
  const [values] = useState(() => tokenFormOf(read));
  const schema = useMemo(() => tokenSchema(t, null), [t]);
  return (
    <FormSheet
      open
      title={t("tokens.editTitle")}
      description={read.name}
      schema={schema}
      values={values}
      onSubmit={async ({ token }) => {
        await update.mutateAsync({ read, values: token });
        toastSaved(t("tokens.saved"));
      }}
      checkStale={async () => isChangedElsewhere(read, await readTokenNow(props.source, read.id))}
      onClose={props.onClose}
    >
      <TokenFields token={read} />
    </FormSheet>
  );
}

/** Whether one of the settings in the section of limits is set. */
function hasLimits(token: Token): boolean {
  const { model_limits_enabled, allow_ips, deny_ips, rate_limit_count } = token;
  return model_limits_enabled || allow_ips + deny_ips !== "" || rate_limit_count > 0;
}

/** The fields of a token; null: of a new one. */
function TokenFields({ token }: { token: Token | null }) {
  const t = useT();
  const groups = useOwnGroups();
  const isNew = token === null;
  const isBudgeted =
    token !== null && token.budget_day + token.budget_week + token.budget_month > 0;
  return (
    <>
      {token !== null && <OldKeyNote token={token} />}
      <FormSection id="basic" title={t("tokens.sectionBasic")}>
        <F.Text
          name="name"
          label={t("tokens.name")}
          placeholder={t("tokens.namePlaceholder")}
          required
          autoFocus={isNew}
        />
        <F.Custom
          name="group"
          label={t("tokens.group")}
          about={<HelpOn term="group" word={t("tokens.group")} />}
          help={t("tokens.groupHelp")}
        >
          {(control) => (
            <GroupPicker {...control} groups={groups.data} emptyLabel={t("tokens.groupOwn")} />
          )}
        </F.Custom>
      </FormSection>
      <FormSection id="quota" title={t("tokens.sectionQuota")}>
        <QuotaFields />
        <F.Custom name="expired_time" label={t("tokens.expiry")} help={t("tokens.expiryHelp")}>
          {(control) => <ExpiryInput {...control} />}
        </F.Custom>
      </FormSection>
      <FormSection id="budgets" title={t("tokens.sectionBudgets")} folded={!isBudgeted}>
        {isBudgeted && <BudgetBars budgets={token.budgets} />}
        <BudgetFields />
      </FormSection>
      <FormSection
        id="limits"
        title={t("tokens.sectionLimits")}
        folded={token === null || !hasLimits(token)}
      >
        <ModelFields />
        <F.Textarea
          name="allow_ips"
          label={t("tokens.ips")}
          help={t("tokens.ipsHelp")}
          rows={3}
          fixedWidth
          placeholder={"203.0.113.7\n2001:db8::/32"}
        />
        <F.Textarea
          name="deny_ips"
          label={t("tokens.denyIps")}
          help={t("tokens.denyIpsHelp")}
          rows={3}
          fixedWidth
          placeholder="198.51.100.0/24"
        />
        <RateFields />
      </FormSection>
      <TaskSections token={token} />
      {isNew && (
        <FormSection id="batch" title={t("tokens.sectionBatch")} folded>
          <CountField />
        </FormSection>
      )}
    </>
  );
}

function QuotaFields() {
  const t = useT();
  const unlimited = F.useValue("unlimited_quota");
  return (
    <>
      <F.Switch name="unlimited_quota" label={t("tokens.unlimited")} />
      <F.Custom
        name="remain_quota"
        label={t("tokens.quotaRemaining")}
        about={<HelpOn term="quota" word={t("tokens.quotaRemaining")} />}
        help={t("tokens.quotaHelp")}
        required={!unlimited}
        disabled={unlimited}
      >
        {(control) => <QuotaInput {...control} presets={quotaPresets} />}
      </F.Custom>
    </>
  );
}

function ModelFields() {
  const t = useT();
  const models = useOwnModels();
  const enabled = F.useValue("model_limits_enabled");
  return (
    <>
      <F.Switch
        name="model_limits_enabled"
        label={t("tokens.modelLimitsEnabled")}
        help={t("tokens.modelLimitsHelp")}
      />
      {enabled && (
        <F.Custom
          name="model_limits"
          label={t("tokens.modelLimits")}
          help={models.isError ? t("widgets.modelsFailed") : undefined}
          required
        >
          {(control) => <ModelPicker {...control} models={models.data} />}
        </F.Custom>
      )}
    </>
  );
}

function CountField() {
  const t = useT();
  return (
    <F.Custom name="count" label={t("tokens.count")} help={t("tokens.countHelp")}>
      {({ value, onChange, ...control }) => (
        <div className="flex flex-col gap-2">
          <NumberInput
            {...control}
            value={value}
            onChange={onChange}
            min={1}
            max={countMax}
            keepsOutOfRange
          />
          <div
            role="group"
            aria-label={t("tokens.countPresets")}
            className="flex flex-wrap gap-1.5"
          >
            {countPresets.map((preset) => (
              <Button
                key={preset}
                size="sm"
                variant={preset === value ? "ghost" : "default"}
                aria-pressed={preset === value}
                onClick={() => onChange(preset)}
              >
                {preset}
              </Button>
            ))}
          </div>
        </div>
      )}
    </F.Custom>
  );
}

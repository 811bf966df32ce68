import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import type { TokenForm } from "./token-form.ts";

const F = fieldsOf<TokenForm>();

/** The budgets of a token: how much it may spend in a day, a week and a month. */
export function BudgetFields() {
  const t = useT();
  const fields = [
    ["budget_day", t("tokens.budgetDay")],
    ["budget_week", t("tokens.budgetWeek")],
    ["budget_month", t("tokens.budgetMonth")],
  ] as const;
  return (
    <>
      {fields.map(([name, label], index) => (
        <F.Custom
          key={name}
          name={name}
          label={label}
          help={index === 0 ? t("tokens.budgetHelp") : undefined}
        >
          {(control) => <QuotaInput {...control} placeholder={t("tokens.unlimitedShort")} />}
        </F.Custom>
      ))}
    </>
  );
}

export function RateFields() {
  const t = useT();
  const isLimited = (F.useValue("rate_limit_count") ?? 0) > 0;
  return (
    <>
      <F.Number
        name="rate_limit_count"
        label={t("tokens.rateCount")}
        help={t("tokens.rateCountHelp")}
        placeholder={t("tokens.unlimitedShort")}
        min={0}
      />
      {isLimited && (
        <>
          <F.Number
            name="rate_limit_seconds"
            label={t("tokens.rateSeconds")}
            unit={t("tokens.seconds")}
            min={1}
          />
          <F.Text
            name="rate_limit_message"
            label={t("tokens.rateMessage")}
            help={t("tokens.rateMessageHelp")}
          />
        </>
      )}
    </>
  );
}

/** The settings of drawing tasks, and the token's own chat clients. */
export function TaskSections({ token }: { token: Token | null }) {
  const t = useT();
  const method = F.useValue("mj_proxy_method");
  const draws =
    token !== null &&
    (token.mj_mode !== "" || token.mj_proxy_method !== "" || token.mj_backup_pool);
  return (
    <>
      <FormSection id="drawing" title={t("tokens.sectionDrawing")} folded={!draws}>
        <F.Select
          name="mj_mode"
          label={t("tokens.mjMode")}
          items={[
            { value: "", label: t("tokens.mjModeAsAsked") },
            { value: "fast", label: t("tokens.mjModeFast") },
            { value: "relax", label: t("tokens.mjModeRelax") },
            { value: "turbo", label: t("tokens.mjModeTurbo") },
          ]}
        />
        <F.Select
          name="mj_proxy_method"
          label={t("tokens.mjProxy")}
          help={t("tokens.mjProxyHelp")}
          items={[
            { value: "", label: t("tokens.mjProxyNone") },
            { value: "prefix", label: t("tokens.mjProxyPrefix") },
            { value: "replace", label: t("tokens.mjProxyReplace") },
          ]}
        />
        {method !== "" && (
          <F.Text
            name="mj_proxy_address"
            label={t("tokens.mjProxyAddress")}
            placeholder="https://images.example.com/"
          />
        )}
        <F.Switch
          name="mj_backup_pool"
          label={t("tokens.mjBackup")}
          help={t("tokens.mjBackupHelp")}
        />
      </FormSection>
      <FormSection
        id="tags"
        title={t("tokens.sectionTags")}
        folded={token === null || token.tags === ""}
      >
        <F.Textarea
          name="tags"
          label={t("tokens.tags")}
          help={t("tokens.tagsHelp")}
          rows={3}
          placeholder="team:search"
        />
      </FormSection>
      <FormSection
        id="chat"
        title={t("tokens.sectionChat")}
        folded={token === null || token.chat_links === ""}
      >
        <F.Textarea
          name="chat_links"
          label={t("tokens.chatLinks")}
          help={t("tokens.chatLinksHelp")}
          rows={3}
          fixedWidth
          placeholder="NextChat https://chat.example.com/#/?settings={key}"
        />
      </FormSection>
    </>
  );
}

import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { useSetFormValue } from "#ui/form/Field.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { isTooLow, quotaDelta, type QuotaMode, type UserForm } from "./user-form.ts";

const F = fieldsOf<UserForm>();

/**
 * Suggested changes of a balance, in quota units: 1, 10, 50 and 100 dollars at the specification's
 * 500,000 units per dollar.
 */
const presets = [500_000, 5_000_000, 25_000_000, 50_000_000];

/**
 * The fields for a change of a user's balance, and its reason. The form sends a difference and not
 * a new balance, so that quota spent meanwhile is not given back.
 */
export function QuotaFields({ read }: { read: AdminUser }) {
  const t = useT();
  const mode = F.useValue("quota_mode");
  const set = useSetFormValue();
  return (
    <>
      <Preview read={read} />
      <F.Custom
        name="quota_amount"
        label={t("users.quotaChange")}
        about={<HelpOn term="quota" word={t("users.quotaChange")} />}
        help={t("users.quotaHelp")}
      >
        {(control) => (
          <div className="flex flex-col gap-2">
            <div>
              <Segmented<QuotaMode>
                aria-label={t("users.quotaMode")}
                items={[
                  { value: "add", label: t("users.quotaAdd") },
                  { value: "subtract", label: t("users.quotaSubtract") },
                ]}
                value={mode}
                onChange={(next) => set("quota_mode", next)}
              />
            </div>
            <QuotaInput {...control} presets={presets} />
          </div>
        )}
      </F.Custom>
      <F.Text
        name="reason"
        label={t("users.reason")}
        placeholder={t("users.reasonPlaceholder")}
        help={t("users.reasonHelp")}
      />
    </>
  );
}

/** Shows the balance before and after the typed change. */
function Preview({ read }: { read: AdminUser }) {
  const t = useT();
  const change = { quota_mode: F.useValue("quota_mode"), quota_amount: F.useValue("quota_amount") };
  const delta = quotaDelta(change.quota_mode, change.quota_amount);
  const after = <QuotaText quota={read.quota + delta} />;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-sm" aria-live="polite">
      <Muted>{t("users.quotaLeft")}</Muted>
      <QuotaText quota={read.quota} />
      {delta !== 0 && (
        <>
          <Muted>→</Muted>
          <span className="font-medium">
            {isTooLow(read.quota, change) ? <Toned tone="danger">{after}</Toned> : after}
          </span>
        </>
      )}
    </p>
  );
}

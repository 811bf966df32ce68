import type { User } from "contract/users.ts";
import { useMemo } from "react";
import type { NotifyType } from "contract/notifications.ts";
import { useT } from "#i18n/t.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { QuotaInput } from "#widgets/QuotaInput.tsx";
import type { z } from "zod";
import { type NoticeForm, noticeSchema, readNotices, type SavedNotices } from "./notice-form.ts";
import { Part } from "./Part.tsx";
import { useUpdateSetting } from "./personal.api.ts";

const F = fieldsOf<NoticeForm>();

/** Units: half a dollar, 1, 5 and 10 dollars at the specification's 500,000 a dollar. */
const thresholds = [250_000, 500_000, 2_500_000, 5_000_000];

/** From when on, and by which way, the user is told that the balance runs low. */
export function NoticesPart({ self }: { readonly self: User }) {
  const t = useT();
  const { mutateAsync: save } = useUpdateSetting();
  const schema = useMemo(() => noticeSchema(t), [t]);
  const saved = useMemo(() => readNotices(self.setting), [self.setting]);
  return (
    <Part name="notices" help={t("account.noticesHelp")}>
      <PlainForm<NoticeForm, z.output<typeof schema>>
        key={self.setting}
        schema={schema}
        values={saved.form}
        onSubmit={async (value) => {
          await save(value);
          toastSaved(t("account.noticesSaved"));
        }}
        submitLabel={t("account.save")}
        draftId="notices"
      >
        <div className="grid min-w-0 gap-x-6 gap-y-4 md:grid-cols-2">
          <F.Custom
            name="quota_warning_threshold"
            label={t("account.threshold")}
            help={saved.isSaved ? t("account.thresholdHelp") : t("account.thresholdUnset")}
          >
            {(control) => <QuotaInput {...control} presets={thresholds} />}
          </F.Custom>
          <div className="flex min-w-0 flex-col gap-4">
            <F.Custom name="notify_type" label={t("account.notifyType")} grouped>
              {({ value, onChange }) => (
                <div>
                  <Segmented<NotifyType>
                    aria-label={t("account.notifyType")}
                    items={[
                      { value: "email", label: t("account.email") },
                      { value: "webhook", label: t("account.webhook") },
                      { value: "bark", label: t("account.bark") },
                    ]}
                    value={value}
                    onChange={onChange}
                  />
                </div>
              )}
            </F.Custom>
            <Way self={self} saved={saved} />
          </div>
        </div>
      </PlainForm>
    </Part>
  );
}

/** What the chosen way needs. */
function Way({ self, saved }: { readonly self: User; readonly saved: SavedNotices }) {
  const t = useT();
  const way = F.useValue("notify_type");
  const email = F.useValue("notification_email");
  switch (way) {
    case "email":
      return (
        <>
          <F.Text
            name="notification_email"
            type="email"
            label={t("account.noticeEmail")}
            help={t("account.noticeEmailHelp")}
            placeholder={self.email}
          />
          {self.email === "" && email.trim() === "" && (
            <Banner tone="warning" title={t("account.noticeEmailNone")} />
          )}
        </>
      );
    case "webhook":
      return (
        <>
          <F.Text
            name="webhook_url"
            label={t("account.webhookUrl")}
            help={t("account.webhookUrlHelp")}
            placeholder="https://example.com/hook"
            spellCheck={false}
          />
          <F.Password
            name="webhook_secret"
            label={t("account.webhookSecret")}
            help={t("account.webhookSecretHelp")}
            isSet={saved.hasWebhookSecret}
          />
        </>
      );
    case "bark":
      return (
        <F.Text
          name="bark_url"
          label={t("account.barkUrl")}
          // Named as they stand in the address; in a text of the catalogue they would be filled in.
          help={t("account.barkUrlHelp", { title: "{{title}}", content: "{{content}}" })}
          placeholder="https://api.day.app/key/{{title}}/{{content}}"
          spellCheck={false}
        />
      );
  }
}

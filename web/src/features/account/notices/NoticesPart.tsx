import { Send } from "lucide-react";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { useId, useMemo, useState } from "react";
import { type NoticeEvent, noticeEvent } from "@tollgate/contract/endpoints/notifications.ts";
import { wayKey } from "#i18n/kind-keys.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { useFormDirty } from "#ui/form/use-form-dirty.ts";
import { toast, toastFailure, toastSaved } from "#ui/overlays/toast.ts";
import { KindFields } from "#widgets/kind-form/KindFields.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import type { z } from "zod";
import {
  fieldsOfForm,
  type NoticeForm,
  noticeSchema,
  readNotices,
  type SavedNotices,
  orderedWays,
  withEvent,
} from "./notice-form.ts";
import { Part } from "#features/account/Part.tsx";
import { useTestSetting, useUpdateSetting } from "#features/account/account.api.ts";

const F = fieldsOf<NoticeForm>();

/** Suggested thresholds in quota units: 0.5, 1, 5 and 10 dollars at 500,000 units per dollar. */
const thresholds = [250_000, 500_000, 2_500_000, 5_000_000];

/** The settings of notices: which events notify the user, and by which method. */
export function NoticesPart({ self }: { readonly self: User }) {
  const t = useT();
  const { mutateAsync: save } = useUpdateSetting();
  const saved = useMemo(() => readNotices(self.setting), [self.setting]);
  const schema = useMemo(() => noticeSchema(t, saved.settings), [t, saved.settings]);
  // Counts the saves, because the form must be reset after each. The saved settings may look the
  // same after a save, as they contain no secrets, but the fields of secrets must be emptied.
  const [saves, setSaves] = useState(0);
  return (
    <Part name="notices" help={t("account.noticesHelp")}>
      <PlainForm<NoticeForm, z.output<typeof schema>>
        key={`${saves} ${self.setting}`}
        schema={schema}
        values={saved.form}
        onSubmit={async (value) => {
          await save(value);
          toastSaved(t("account.noticesSaved"));
          setSaves(saves + 1);
        }}
        submitLabel={t("account.save")}
        footer={<TestButton />}
        draftId="notices"
      >
        <Events />
        <div className="grid min-w-0 gap-x-6 gap-y-4 md:grid-cols-2">
          <F.Custom
            name="quota_warning_threshold"
            label={t("account.threshold")}
            help={saved.isSaved ? t("account.thresholdHelp") : t("account.thresholdUnset")}
          >
            {(control) => <QuotaInput {...control} presets={thresholds} />}
          </F.Custom>
          <div className="flex min-w-0 flex-col gap-4">
            <F.Select
              name="notify_type"
              label={t("account.notifyType")}
              items={orderedWays.map((way) => ({ value: way, label: t(wayKey(way)) }))}
            />
            <Way self={self} saved={saved} />
          </div>
        </div>
      </PlainForm>
    </Part>
  );
}

const eventTexts: Readonly<
  Record<NoticeEvent, { readonly name: TextKey; readonly help: TextKey }>
> = {
  quota_low: { name: "account.eventQuotaLow", help: "account.eventQuotaLowHelp" },
  price_change: { name: "account.eventPriceChange", help: "account.eventPriceChangeHelp" },
  announcement: { name: "account.eventAnnouncement", help: "account.eventAnnouncementHelp" },
  promotion: { name: "account.eventPromotion", help: "account.eventPromotionHelp" },
  periodic_contact: { name: "account.eventContact", help: "account.eventContactHelp" },
};

function Events() {
  const t = useT();
  return (
    <F.Custom name="events" label={t("account.events")} grouped>
      {({ value, onChange }) => (
        <div className="grid min-w-0 gap-x-6 gap-y-2 md:grid-cols-3">
          {noticeEvent.options.map((event) => (
            <Checkbox
              key={event}
              checked={value.includes(event)}
              onChange={(isChosen) => onChange(withEvent(value, event, isChosen))}
              label={
                <>
                  <span className="block text-sm">{t(eventTexts[event].name)}</span>
                  <span className="block text-xs">
                    <Muted>{t(eventTexts[event].help)}</Muted>
                  </span>
                </>
              }
            />
          ))}
        </div>
      )}
    </F.Custom>
  );
}

/**
 * Sends a test notice. The server uses the saved settings, so the button is disabled while there
 * are unsaved changes.
 */
function TestButton() {
  const t = useT();
  const id = useId();
  const isDirty = useFormDirty();
  const { mutateAsync: sendTest, isPending } = useTestSetting();

  async function test() {
    try {
      await sendTest();
      toast({ tone: "success", title: t("account.noticeTestSent") });
    } catch (error) {
      toastFailure(t("account.noticeTestFailed"), error);
    }
  }

  return (
    <>
      <Button
        icon={<Send size={16} aria-hidden />}
        loading={isPending}
        disabled={isDirty}
        aria-describedby={isDirty ? id : undefined}
        onClick={() => void test()}
      >
        {t("account.noticeTest")}
      </Button>
      {isDirty && (
        <span id={id} className="min-w-0 text-xs">
          <Muted>{t("account.noticeTestUnsaved")}</Muted>
        </span>
      )}
    </>
  );
}

/** The fields of the chosen notice method. */
function Way({ self, saved }: { readonly self: User; readonly saved: SavedNotices }) {
  const t = useT();
  const way = F.useValue("notify_type");
  const system = useStatus()?.system_name ?? "";
  return (
    <KindFields
      // Each method has its own React key, because fields of two methods may have the same name and
      // different saved values.
      key={way}
      fields={fieldsOfForm(way, saved.settings, t, system)}
      standIns={{ "own-email": { value: self.email, missing: t("account.noticeEmailNone") } }}
    />
  );
}

import { passkeyNameMax } from "@tollgate/contract/endpoints/second-factor.ts";
import { useMemo, useState } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { readUserAgent } from "#widgets/people/user-agent.ts";
import { type NewPasskey, useAddPasskey } from "./second-factor.api.ts";

const F = fieldsOf<NewPasskey>();

/** A dialog that asks for the passkey's name, and then has the browser make the passkey. */
export function PasskeyAddDialog(props: {
  /** Whether the server requires the password, because the second factor was not proved lately. */
  readonly asksPassword: boolean;
  readonly onClose: () => void;
  /**
   * Called when the passkey is added. The recovery codes are given only with the user's first
   * second factor.
   */
  readonly onDone: (codes: readonly string[]) => void;
}) {
  const { asksPassword, onClose, onDone } = props;
  const t = useT();
  const { mutateAsync: add } = useAddPasskey();
  const [isClosed, setClosed] = useState(false);
  const schema = useMemo(
    () =>
      z.object({
        name: passkeyName(t("security.passkeyNameTooLong", { max: passkeyNameMax })),
        password: asksPassword ? z.string().min(1, t("security.passwordMissing")) : z.string(),
      }),
    [t, asksPassword],
  );

  async function submit(passkey: NewPasskey) {
    setClosed(false);
    const codes = await add(passkey);
    if (codes === undefined) setClosed(true);
    else onDone(codes);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      width="sm"
      title={t("security.passkeyAddTitle")}
      description={t("security.passkeyAddHelp")}
    >
      <PlainForm<NewPasskey, NewPasskey>
        schema={schema}
        values={{ name: deviceName(), password: "" }}
        onSubmit={submit}
        submitLabel={t("security.passkeyMake")}
        footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
      >
        <div className="flex flex-col gap-4">
          {isClosed && <Banner tone="danger" title={t("security.passkeyFailed")} />}
          <F.Text name="name" label={t("security.passkeyName")} />
          {asksPassword && (
            <F.Password
              name="password"
              label={t("security.password")}
              autoComplete="current-password"
              required
            />
          )}
        </div>
      </PlainForm>
    </Dialog>
  );
}

export function passkeyName(tooLong: string) {
  return z
    .string()
    .trim()
    .refine((name) => [...name].length <= passkeyNameMax, tooLong);
}

/** Suggests a name for the passkey: this device's browser and system. */
function deviceName(): string {
  const { browser, system } = readUserAgent(navigator.userAgent);
  const words = [browser.replace(/ \d+$/, ""), system].filter((word) => word !== "");
  return words.join(" · ").slice(0, passkeyNameMax);
}

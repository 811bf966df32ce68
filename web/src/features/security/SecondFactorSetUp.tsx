import { useMemo, useState } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { QrCode } from "#ui/picture/QrCode.tsx";
import { useEnableTotp, useSetUpTotp } from "./second-factor.api.ts";

/** The secret that server and authenticator app share, as text and as URI for a QR code. */
export type NewSecret = { readonly secret: string; readonly uri: string };

/**
 * A dialog that sets up an authenticator app: shows a new secret, then checks a code that the app
 * computes from it.
 */
export function SecondFactorSetUp(props: {
  /**
   * The new secret; null: the dialog first asks for the password, which the server requires to make
   * one.
   */
  readonly made: NewSecret | null;
  readonly onClose: () => void;
  /**
   * Called when the app is set up. The recovery codes are given only with the user's first second
   * factor.
   */
  readonly onDone: (codes: readonly string[]) => void;
}) {
  const { onClose, onDone } = props;
  const t = useT();
  const [made, setMade] = useState(props.made);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("security.appSetUp")}
      description={made === null ? t("security.ownerHelp") : t("security.appScan")}
    >
      {made === null ? (
        <OwnerForm onClose={onClose} onMade={setMade} />
      ) : (
        <CodeForm made={made} onClose={onClose} onDone={onDone} />
      )}
    </Dialog>
  );
}

type OwnerFields = { password: string };
const O = fieldsOf<OwnerFields>();

function OwnerForm(props: {
  readonly onClose: () => void;
  readonly onMade: (made: NewSecret) => void;
}) {
  const { onClose, onMade } = props;
  const t = useT();
  const { mutateAsync: setUp } = useSetUpTotp();
  const schema = useMemo(
    () => z.object({ password: z.string().min(1, t("security.passwordMissing")) }),
    [t],
  );
  return (
    <PlainForm<OwnerFields, OwnerFields>
      schema={schema}
      values={{ password: "" }}
      onSubmit={async ({ password }) => onMade(await setUp(password))}
      submitLabel={t("security.next")}
      footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
    >
      <O.Password
        name="password"
        label={t("security.password")}
        autoComplete="current-password"
        required
      />
    </PlainForm>
  );
}

type CodeFields = { code: string };
const C = fieldsOf<CodeFields>();

function CodeForm(props: {
  readonly made: NewSecret;
  readonly onClose: () => void;
  readonly onDone: (codes: readonly string[]) => void;
}) {
  const { made, onClose, onDone } = props;
  const t = useT();
  const { mutateAsync: enable } = useEnableTotp();
  const schema = useMemo(
    () => z.object({ code: z.string().trim().min(1, t("security.codeMissing")) }),
    [t],
  );
  return (
    <PlainForm<CodeFields, CodeFields>
      schema={schema}
      values={{ code: "" }}
      onSubmit={async ({ code }) => onDone(await enable(code))}
      submitLabel={t("security.enable")}
      footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
          <QrCode text={made.uri} label={t("security.appQr")} />
          <div className="flex min-w-0 flex-1 basis-56 flex-col items-start gap-2">
            <p className="text-sm">{t("security.appByHand")}</p>
            <code className="font-mono text-sm break-all select-all">{grouped(made.secret)}</code>
            <CopyButton secret text={made.secret} label={t("security.appCopySecret")} />
          </div>
        </div>
        <C.Text
          name="code"
          label={t("security.code")}
          help={t("security.appCodeHelp")}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          required
        />
      </div>
    </PlainForm>
  );
}

/** Splits the secret into groups of four characters, which are easier to copy by hand. */
function grouped(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, "$& ");
}

import { mailCodeLength } from "@tollgate/contract/endpoints/registration.ts";
import { useMemo, useState } from "react";
import { z } from "zod";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { toast } from "#ui/overlays/toast.ts";
import { useCountdown } from "#widgets/sign-in/countdown.ts";
import { useBotCheck } from "#widgets/sign-in/use-bot-check.tsx";
import { addressSchema, emptyMail, mailSchema, passwordSchema } from "./binding-form.ts";
import { FormDialog } from "#features/account/FormDialog.tsx";
import {
  mailCode,
  useAsksPassword,
  useBindMail,
  useUnbindMail,
} from "#features/account/account.api.ts";
import { PresentPassword, TextField } from "#features/account/TextField.tsx";
import { useDialogForm } from "#features/account/use-dialog-form.ts";

/** Binds an e-mail address: sends a code there, which the user then types. */
export function MailDialog(props: {
  /** The address that is bound at present; empty: none. */
  readonly bound: string;
  readonly onClose: () => void;
}) {
  const { bound, onClose } = props;
  const t = useT();
  const { mutateAsync: bind } = useBindMail();
  const asksPassword = useAsksPassword() && bound !== "";
  const schema = useMemo(() => mailSchema(t, asksPassword), [t, asksPassword]);
  const form = useDialogForm({
    empty: emptyMail,
    schema,
    refusedField: "code",
    send: bind,
    sentText:
      bound === "" ? t("account.bound", { name: t("account.email") }) : t("account.emailReplaced"),
    onSent: onClose,
  });
  const { typed, faults, tell, change } = form;
  const botCheck = useBotCheck();
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={bound === "" ? t("account.emailTitle") : t("account.emailReplaceTitle")}
      description={
        bound === "" ? t("account.emailHow") : t("account.emailReplaceHow", { email: bound })
      }
      submitLabel={bound === "" ? t("account.bind") : t("account.bindingReplace")}
    >
      <TextField
        name="email"
        type="email"
        label={t("account.emailAddress")}
        autoComplete="email"
        spellCheck={false}
        value={typed.email}
        fault={faults.email}
        onChange={(email) => change({ email })}
        action={
          <SendCode
            email={typed.email}
            takeToken={botCheck.take}
            onFault={(fault) => tell({ email: fault })}
            onSent={() => change({ code: "" })}
          />
        }
      />
      {botCheck.field}
      <TextField
        name="code"
        label={t("account.emailCode")}
        help={t("account.emailCodeHelp")}
        autoComplete="one-time-code"
        inputMode="numeric"
        placeholder={t("account.digits", { count: mailCodeLength })}
        value={typed.code}
        fault={faults.code}
        onChange={(code) => change({ code })}
      />
      {asksPassword && (
        <PresentPassword
          help={t("account.emailPasswordHelp")}
          value={typed.password}
          fault={faults.password}
          onChange={(password) => change({ password })}
        />
      )}
    </FormDialog>
  );
}

function SendCode(props: {
  readonly email: string;
  /** Returns the bot-check token; throws while the check is not passed. */
  readonly takeToken: () => string;
  readonly onFault: (fault: string) => void;
  readonly onSent: () => void;
}) {
  const { email, takeToken, onFault, onSent } = props;
  const t = useT();
  const language = useLanguage();
  const { secondsLeft, start } = useCountdown("bind-mail-code");
  const [isSending, setSending] = useState(false);

  async function send() {
    const address = addressSchema(t).safeParse(email);
    if (!address.success) {
      onFault(address.error.issues[0]?.message ?? t("account.emailInvalid"));
      return;
    }
    setSending(true);
    try {
      await mailCode({ email: address.data, lang: language, turnstile: takeToken() });
      start();
      onSent();
      toast({ tone: "success", title: t("account.emailCodeSent", { email: address.data }) });
    } catch (error) {
      onFault(describeError(error).title);
    } finally {
      setSending(false);
    }
  }

  return (
    <Button loading={isSending} disabled={secondsLeft > 0} onClick={() => void send()}>
      {secondsLeft > 0
        ? t("account.emailCodeAgain", { seconds: secondsLeft })
        : t("account.emailCodeSend")}
    </Button>
  );
}

/** Removes the e-mail address, after the user has typed the present password. */
export function UnbindMailDialog(props: { readonly bound: string; readonly onClose: () => void }) {
  const { bound, onClose } = props;
  const t = useT();
  const { mutateAsync: unbind } = useUnbindMail();
  const asksPassword = useAsksPassword();
  const schema = useMemo(
    () => z.object({ password: passwordSchema(t, asksPassword) }),
    [t, asksPassword],
  );
  const form = useDialogForm({
    empty: { password: "" },
    schema,
    refusedField: "password",
    send: unbind,
    sentText: t("account.unbound", { name: t("account.email") }),
    onSent: onClose,
  });
  const { typed, faults, change } = form;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t("account.emailRemoveTitle")}
      description={t("account.emailRemoveHow", { email: bound })}
      submitLabel={t("account.unbind")}
      danger
    >
      {(asksPassword || faults.password !== undefined) && (
        <PresentPassword
          help={t("account.emailPasswordHelp")}
          value={typed.password}
          fault={faults.password}
          onChange={(password) => change({ password })}
        />
      )}
    </FormDialog>
  );
}

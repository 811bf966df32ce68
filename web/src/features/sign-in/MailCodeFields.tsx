import { useState } from "react";
import { mailCodeLength } from "@tollgate/contract/endpoints/registration.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Field, useFormValue } from "#ui/form/Field.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { describeFailure } from "#widgets/server/server-message.ts";
import { useCountdown } from "#widgets/sign-in/countdown.ts";
import { mailSchema } from "./register-form.ts";
import { mailCode } from "./registration.api.ts";

/**
 * The fields for an e-mail address and for the code that the button beside it sends there.
 *
 * @param takeToken returns a token of the form's bot check.
 */
export function MailCodeFields({ takeToken }: { readonly takeToken: () => string }) {
  const t = useT();
  const language = useLanguage();
  const typed = useFormValue("email");
  const { secondsLeft, start } = useCountdown("mail-code");
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);

  async function send() {
    const address = mailSchema(t).safeParse(typed);
    if (!address.success) {
      setFault(address.error.issues[0]?.message ?? t("entry.emailInvalid"));
      return;
    }
    setSending(true);
    setFault(null);
    try {
      await mailCode({ email: address.data, lang: language, turnstile: takeToken() });
      start();
      toast({ tone: "success", title: t("entry.codeSent") });
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(false);
    }
  }

  return (
    <>
      <Field name="email" label={t("entry.email")} required>
        {({ value, onChange, ...control }) => (
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <Input
                {...control}
                type="email"
                value={String(value)}
                onChange={(event) => onChange(event.target.value)}
                autoComplete="email"
              />
            </div>
            <Button loading={isSending} disabled={secondsLeft > 0} onClick={() => void send()}>
              {secondsLeft > 0 ? t("entry.againIn", { seconds: secondsLeft }) : t("entry.sendCode")}
            </Button>
          </div>
        )}
      </Field>
      {fault !== null && <Banner tone="danger" title={fault} />}
      <Field name="verification_code" label={t("entry.code")} secret required>
        {({ value, onChange, ...control }) => (
          <Input
            {...control}
            value={String(value)}
            onChange={(event) => onChange(event.target.value)}
            autoComplete="one-time-code"
            inputMode="numeric"
            placeholder={t("entry.digits", { count: mailCodeLength })}
          />
        )}
      </Field>
    </>
  );
}

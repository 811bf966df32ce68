import { useState } from "react";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { useBotCheck } from "#widgets/sign-in/use-bot-check.tsx";
import { useCountdown } from "#widgets/sign-in/countdown.ts";
import { mailSchema } from "./register-form.ts";
import { mailResetLink } from "./registration.api.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

/** The screen on which users ask for an e-mail with a link that resets their password. */
export function ResetScreen() {
  const t = useT();
  const language = useLanguage();
  const [email, setEmail] = useState("");
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [sent, setSent] = useState(false);
  const botCheck = useBotCheck();
  const { secondsLeft, start } = useCountdown("reset-link");

  async function send() {
    if (isSending || secondsLeft > 0) return;
    const address = mailSchema(t).safeParse(email);
    if (!address.success) {
      setFault(address.error.issues[0]?.message ?? t("entry.emailInvalid"));
      return;
    }
    setSending(true);
    setFault(null);
    setSent(false);
    try {
      const turnstile = botCheck.take();
      await mailResetLink({ email: address.data, lang: language, turnstile });
      start();
      setSent(true);
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(false);
    }
  }

  return (
    <SignInFrame title={t("signIn.reset")} description={t("entry.resetIntro")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {fault !== null && <Banner tone="danger" title={fault} />}
        {sent && <Banner tone="success" title={t("entry.resetSent")} />}
        <FieldFrame name="email" label={t("entry.email")}>
          {(control) => (
            <Input
              {...control}
              name="email"
              type="email"
              autoComplete="email"
              autoFocus
              value={email}
              invalid={fault !== null}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </FieldFrame>
        {botCheck.field}
        <Button variant="primary" type="submit" loading={isSending} disabled={secondsLeft > 0}>
          {secondsLeft > 0 ? t("entry.againIn", { seconds: secondsLeft }) : t("entry.resetSend")}
        </Button>
      </form>
      <p className="text-sm">
        <Link to="/login">{t("entry.back")}</Link>
      </p>
    </SignInFrame>
  );
}

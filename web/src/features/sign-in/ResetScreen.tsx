import { useId, useState } from "react";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { describeFailure } from "#widgets/server-message.ts";
import { useCountdown } from "./countdown.ts";
import { mailSchema } from "./register-form.ts";
import { mailResetLink } from "./registration.api.ts";
import { SignInFrame } from "./SignInFrame.tsx";

/** Asks for the link that resets a forgotten password. */
export function ResetScreen() {
  const t = useT();
  const id = useId();
  const language = useLanguage();
  const [email, setEmail] = useState("");
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [sent, setSent] = useState(false);
  const { secondsLeft, start } = useCountdown("reset-link");

  async function send() {
    if (isSending || secondsLeft > 0) return;
    const address = mailSchema(t).safeParse(email);
    if (!address.success) {
      setFault(address.error.issues[0]?.message ?? t("signIn.emailInvalid"));
      return;
    }
    setSending(true);
    setFault(null);
    setSent(false);
    try {
      await mailResetLink(address.data, language);
      start();
      setSent(true);
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(false);
    }
  }

  return (
    <SignInFrame title={t("signIn.reset")} description={t("signIn.resetIntro")}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {fault !== null && <Banner tone="danger" title={fault} />}
        {sent && <Banner tone="success" title={t("signIn.resetSent")} />}
        <FieldFrame
          id={id}
          name="email"
          label={t("signIn.email")}
          help={null}
          error={undefined}
          required={false}
          grouped={false}
          labelled={false}
        >
          <Input
            id={id}
            name="email"
            type="email"
            autoComplete="email"
            autoFocus
            value={email}
            invalid={fault !== null}
            onChange={(event) => setEmail(event.target.value)}
          />
        </FieldFrame>
        <Button variant="primary" type="submit" loading={isSending} disabled={secondsLeft > 0}>
          {secondsLeft > 0 ? t("signIn.againIn", { seconds: secondsLeft }) : t("signIn.resetSend")}
        </Button>
      </form>
      <p className="text-sm">
        <Link to="/login">{t("signIn.back")}</Link>
      </p>
    </SignInFrame>
  );
}

import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { copyText } from "#ui/copy/copy-text.ts";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { confirmReset } from "./registration.api.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

/**
 * The screen that the link in a password-reset e-mail opens. Only a click on its button resets the
 * password, because mail programs open links by themselves.
 */
export function ResetConfirmScreen() {
  const t = useT();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const { email, token } = search;
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [made, setMade] = useState<{ readonly password: string; readonly copied: boolean } | null>(
    null,
  );
  const isWhole = typeof email === "string" && typeof token === "string" && token !== "";

  async function confirm() {
    if (!isWhole || isSending) return;
    setSending(true);
    setFault(null);
    try {
      const password = await confirmReset(email, token);
      setMade({ password, copied: await copyText(password) });
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(false);
    }
  }

  if (!isWhole) {
    return (
      <SignInFrame title={t("signIn.reset")}>
        <Banner tone="danger" title={t("entry.resetBroken")} />
        <p className="text-sm">
          <Link to="/reset">{t("entry.resetAgain")}</Link>
        </p>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={t("signIn.reset")}>
      {fault !== null && (
        <Banner tone="danger" title={fault}>
          <Link to="/reset">{t("entry.resetAgain")}</Link>
        </Banner>
      )}
      <DescriptionList items={[{ label: t("entry.email"), value: email }]} />
      {made === null ? (
        <Button variant="primary" type="submit" loading={isSending} onClick={() => void confirm()}>
          {t("entry.resetConfirm")}
        </Button>
      ) : (
        <>
          <Banner
            tone="success"
            title={made.copied ? t("entry.resetCopied") : t("entry.resetDone")}
            action={<CopyButton secret text={made.password} label={t("entry.copyPassword")} />}
          >
            <code className="font-mono text-sm select-all">{made.password}</code>
          </Banner>
          <LinkButton to="/login" variant="primary">
            {t("signIn.title")}
          </LinkButton>
        </>
      )}
    </SignInFrame>
  );
}

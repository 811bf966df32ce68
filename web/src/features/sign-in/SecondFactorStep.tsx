import { useState } from "react";
import type { SecondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { CodeField } from "#widgets/sign-in/CodeField.tsx";
import { useSecondFactor } from "#widgets/sign-in/use-second-factor.ts";
import { signInByCode, signInByPasskey } from "./oauth.api.ts";

/**
 * The second step of a sign-in: proves the second factor by a code of the app, a recovery code, or
 * a passkey.
 */
export function SecondFactorStep(props: {
  readonly needed: SecondFactorNeeded;
  readonly onSignedIn: (user: ShortUser) => void;
  /**
   * Called when the user wants to go back to the first step, for example because the sign-in's
   * ticket has expired after five minutes.
   */
  readonly onBack: () => void;
}) {
  const { needed, onSignedIn, onBack } = props;
  const { ticket, methods } = needed;
  const t = useT();
  const [code, setCode] = useState("");
  const { sending, fault, proveByCode, proveByPasskey } = useSecondFactor({
    byCode: (typed) => signInByCode(ticket, typed),
    byPasskey: () => signInByPasskey(ticket),
    texts: { codeMissing: t("entry.codeRequired"), passkeyFailed: t("signIn.passkeyFailed") },
    onProven: onSignedIn,
  });
  const hasApp = methods.includes("totp");

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void proveByCode(code);
      }}
    >
      {fault !== null && <Banner tone="danger" title={fault} />}
      {methods.includes("passkey") && (
        <Button loading={sending === "passkey"} onClick={() => void proveByPasskey()}>
          {t("signIn.passkey")}
        </Button>
      )}
      <CodeField
        label={hasApp ? t("entry.code") : t("entry.recoveryCode")}
        help={hasApp ? t("entry.secondFactorHelp") : undefined}
        value={code}
        onChange={setCode}
      />
      <Button variant="primary" type="submit" loading={sending === "code"}>
        {t("signIn.submit")}
      </Button>
      <Button variant="ghost" onClick={onBack}>
        {t("entry.back")}
      </Button>
    </form>
  );
}

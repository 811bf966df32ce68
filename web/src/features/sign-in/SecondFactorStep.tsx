import { useId, useState } from "react";
import type { SecondFactorNeeded } from "@tollgate/contract/sign-in-answer.ts";
import type { ShortUser } from "@tollgate/contract/users.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { proveByCode, proveByPasskey } from "./oauth.api.ts";

/** The second proof of who signs in: a code of the app, a recovery code, or a passkey. */
export function SecondFactorStep(props: {
  readonly needed: SecondFactorNeeded;
  readonly onSignedIn: (user: ShortUser) => void;
  /** Back to the beginning: the ticket lasts five minutes only. */
  readonly onBack: () => void;
}) {
  const { needed, onSignedIn, onBack } = props;
  const { ticket, methods } = needed;
  const t = useT();
  const id = useId();
  const [code, setCode] = useState("");
  const [sending, setSending] = useState<"code" | "passkey" | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const hasApp = methods.includes("totp");

  async function prove(by: "code" | "passkey") {
    if (sending !== null) return;
    if (by === "code" && code.trim() === "") {
      setFault(t("entry.codeRequired"));
      return;
    }
    setSending(by);
    setFault(null);
    try {
      const user =
        by === "code" ? await proveByCode(ticket, code.trim()) : await proveByPasskey(ticket);
      if (user === undefined) setFault(t("entry.passkeyFailed"));
      else onSignedIn(user);
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(null);
    }
  }

  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void prove("code");
      }}
    >
      {fault !== null && <Banner tone="danger" title={fault} />}
      {methods.includes("passkey") && (
        <Button loading={sending === "passkey"} onClick={() => void prove("passkey")}>
          {t("entry.passkey")}
        </Button>
      )}
      <FieldFrame
        id={id}
        name="code"
        label={hasApp ? t("entry.code") : t("entry.recoveryCode")}
        help={hasApp ? t("entry.secondFactorHelp") : null}
        error={undefined}
        required={false}
        grouped={false}
        labelled={false}
      >
        <Input
          id={id}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={code}
          aria-describedby={hasApp ? `${id}-help` : undefined}
          onChange={(event) => setCode(event.target.value)}
        />
      </FieldFrame>
      <Button variant="primary" type="submit" loading={sending === "code"}>
        {t("signIn.submit")}
      </Button>
      <Button variant="ghost" onClick={onBack}>
        {t("entry.back")}
      </Button>
    </form>
  );
}

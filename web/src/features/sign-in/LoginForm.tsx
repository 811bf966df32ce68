import { type ReactNode, useRef, useState } from "react";
import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { useBotCheck } from "#widgets/sign-in/use-bot-check.tsx";
import { keepLastMethod } from "./last-method.ts";
import { signIn } from "./sign-in.api.ts";

/**
 * Sign-in by username and password. It does not use the form kit, because that would be a tenth of
 * all the code that a browser loads before a sign-in.
 */
export function LoginForm(props: {
  /** Opens the next screen; the button stays busy until then. */
  readonly onAnswer: (answer: SignInAnswer) => Promise<void>;
  /** Called in place of `onAnswer` if the user signed in with the well-known default password. */
  readonly onDefaultPassword: (user: ShortUser) => void;
  readonly besideSubmit?: ReactNode;
}) {
  const t = useT();
  const password = useRef<HTMLInputElement>(null);
  const botCheck = useBotCheck();
  const [typed, setTyped] = useState({ username: "", password: "" });
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<{ readonly title: string; readonly empty: boolean } | null>(
    null,
  );

  async function submit() {
    if (isSending) return;
    if (typed.username.trim() === "" || typed.password === "") {
      setFault({ title: t("signIn.bothRequired"), empty: true });
      return;
    }
    setSending(true);
    setFault(null);
    try {
      const answer = await signIn({ ...typed, turnstile: botCheck.take() });
      keepLastMethod("password");
      if (!("require_2fa" in answer) && isDefault(typed)) props.onDefaultPassword(answer);
      else await props.onAnswer(answer);
    } catch (error) {
      setFault({ title: describeFailure(error, t).title, empty: false });
      // The password is selected for correction, because it is wrong more often than the username.
      password.current?.focus();
      password.current?.select();
    } finally {
      setSending(false);
    }
  }

  const isMissing = (text: string): boolean => fault?.empty === true && text.trim() === "";
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {fault !== null && <Banner tone="danger" title={fault.title} />}
      <FieldFrame name="username" label={t("signIn.username")}>
        {(control) => (
          <Input
            {...control}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            value={typed.username}
            invalid={isMissing(typed.username)}
            onChange={(event) => setTyped({ ...typed, username: event.target.value })}
          />
        )}
      </FieldFrame>
      <FieldFrame name="password" label={t("signIn.password")}>
        {(control) => (
          <PasswordInput
            {...control}
            ref={password}
            name="password"
            autoComplete="current-password"
            value={typed.password}
            invalid={isMissing(typed.password)}
            onChange={(event) => setTyped({ ...typed, password: event.target.value })}
          />
        )}
      </FieldFrame>
      {botCheck.field}
      <div className="mt-2 flex flex-col gap-2">
        <Button variant="primary" type="submit" loading={isSending}>
          {t("signIn.submit")}
        </Button>
        {props.besideSubmit}
      </div>
    </form>
  );
}

/**
 * Whether these are the credentials of the well-known default account. This software does not
 * create it, but an imported database may contain it.
 */
function isDefault(typed: { readonly username: string; readonly password: string }): boolean {
  return typed.username.trim() === "root" && typed.password === "123456";
}

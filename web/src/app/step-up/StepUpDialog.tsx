import { queryOptions, useQuery } from "@tanstack/react-query";
import {
  beginPasskeyStepUp,
  finishPasskeyStepUp,
  readSecondFactors,
  type SecondFactors,
  stepUp,
} from "@tollgate/contract/endpoints/second-factor.ts";
import { KeyRound } from "lucide-react";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { call } from "#api/call.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { CodeField } from "#widgets/sign-in/CodeField.tsx";
import { useSecondFactor } from "#widgets/sign-in/use-second-factor.ts";

const factorsQuery = queryOptions({
  queryKey: ["step-up"],
  queryFn: async ({ signal }) => await call(readSecondFactors, {}, signal),
  // The user's factors are read at each step-up, because one may have been added or removed since
  // the last.
  staleTime: 0,
  gcTime: 0,
});

/** A dialog that asks for the second factor again, before a dangerous call. */
export function StepUpDialog({ onAnswer }: { readonly onAnswer: (isProven: boolean) => void }) {
  const t = useT();
  const formId = useId();
  const factors = useQuery(factorsQuery);
  const { sending, fault, proveByCode, proveByPasskey } = useSecondFactor({
    byCode: async (code) => {
      await call(stepUp, { code });
      return "proven";
    },
    byPasskey: showPasskey,
    texts: { codeMissing: t("security.codeMissing"), passkeyFailed: t("security.passkeyFailed") },
    onProven: () => onAnswer(true),
  });
  const leave = useEffectEvent(() => onAnswer(false));
  // When the dialog is removed together with its page, the step-up counts as refused.
  useEffect(() => () => leave(), []);
  return (
    <Dialog
      open
      onClose={() => onAnswer(false)}
      width="sm"
      title={t("security.stepUpTitle")}
      description={factors.data?.enabled === false ? undefined : t("security.stepUpHelp")}
      footer={
        <>
          <Button onClick={() => onAnswer(false)}>{t("ui.cancel")}</Button>
          <Button
            variant="primary"
            type="submit"
            form={formId}
            loading={sending === "code"}
            disabled={factors.data?.enabled !== true}
          >
            {t("security.confirm")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {fault !== null && <Banner tone="danger" title={fault} />}
        {factors.data === undefined ? (
          factors.error === null ? (
            <Skeleton height={64} />
          ) : (
            <ErrorState error={factors.error} onRetry={() => void factors.refetch()} />
          )
        ) : !factors.data.enabled ? (
          <p>{t("security.signInAgain")}</p>
        ) : (
          <>
            {offersPasskey(factors.data) && (
              <Button
                icon={<KeyRound size={16} aria-hidden />}
                loading={sending === "passkey"}
                onClick={() => void proveByPasskey()}
              >
                {t("security.usePasskey")}
              </Button>
            )}
            <CodeForm id={formId} hasApp={factors.data.totp} onCode={proveByCode} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function offersPasskey({ passkeys }: SecondFactors): boolean {
  return passkeys.length > 0 && "PublicKeyCredential" in window;
}

function CodeForm(props: {
  readonly id: string;
  readonly hasApp: boolean;
  readonly onCode: (code: string) => Promise<void>;
}) {
  const { id, hasApp, onCode } = props;
  const t = useT();
  const [code, setCode] = useState("");
  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // React bubbles submit events through portals, so the form that the dialog was opened from
        // would be submitted, too.
        event.stopPropagation();
        void onCode(code);
      }}
    >
      <CodeField
        label={hasApp ? t("security.code") : t("security.recoveryCode")}
        help={hasApp ? t("security.codeHelp") : undefined}
        value={code}
        onChange={setCode}
      />
    </form>
  );
}

/** Proves the second factor by a passkey; undefined: the user cancelled the browser's dialog. */
async function showPasskey(): Promise<"proven" | undefined> {
  const { ticket, options } = await call(beginPasskeyStepUp, {});
  const { startAuthentication } = await import("@simplewebauthn/browser");
  let credential;
  try {
    credential = await startAuthentication({ optionsJSON: options });
  } catch {
    return undefined;
  }
  await call(finishPasskeyStepUp, { ticket, credential });
  return "proven";
}

import { queryOptions, useQuery } from "@tanstack/react-query";
import {
  beginPasskeyStepUp,
  finishPasskeyStepUp,
  readSecondFactors,
  type SecondFactors,
  stepUp,
} from "@tollgate/contract/second-factor.ts";
import { KeyRound } from "lucide-react";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { call } from "#api/call.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";

const factorsQuery = queryOptions({
  queryKey: ["step-up"],
  queryFn: async ({ signal }) => await call(readSecondFactors, {}, signal),
  // A factor may have come or gone since it was asked the last time.
  staleTime: 0,
  gcTime: 0,
});

/** Proves the second factor again, before what is dangerous. */
export function StepUpDialog({ onAnswer }: { readonly onAnswer: (isProven: boolean) => void }) {
  const t = useT();
  const formId = useId();
  const factors = useQuery(factorsQuery);
  const { sending, fault, proveByCode, proveByPasskey } = useProof(() => onAnswer(true));
  const leave = useEffectEvent(() => onAnswer(false));
  // What it stands in may go away with a page: nothing is proven then.
  useEffect(() => () => leave(), []);
  return (
    <Dialog
      open
      onClose={() => onAnswer(false)}
      width="sm"
      title={t("security.stepUpTitle")}
      description={t("security.stepUpHelp")}
      footer={
        <>
          <Button onClick={() => onAnswer(false)}>{t("ui.cancel")}</Button>
          <Button
            variant="primary"
            type="submit"
            form={formId}
            loading={sending === "code"}
            disabled={factors.data === undefined}
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
        // Drawn inside a form it is not a part of.
        event.stopPropagation();
        void onCode(code.trim());
      }}
    >
      <FieldFrame
        id={`${id}-code`}
        name="code"
        label={hasApp ? t("security.code") : t("security.recoveryCode")}
        help={hasApp ? t("security.codeHelp") : undefined}
        error={undefined}
        required={false}
        grouped={false}
        labelled={false}
      >
        <Input
          id={`${id}-code`}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={code}
          aria-describedby={hasApp ? `${id}-code-help` : undefined}
          onChange={(event) => setCode(event.target.value)}
        />
      </FieldFrame>
    </form>
  );
}

/** One proof at a time; what went wrong stands until the next. */
function useProof(onProven: () => void) {
  const t = useT();
  const [sending, setSending] = useState<"code" | "passkey" | null>(null);
  const [fault, setFault] = useState<string | null>(null);

  async function prove(by: "code" | "passkey", run: () => Promise<boolean>): Promise<void> {
    if (sending !== null) return;
    setSending(by);
    setFault(null);
    try {
      if (await run()) onProven();
      else setFault(t("security.passkeyFailed"));
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(null);
    }
  }

  return {
    sending,
    fault,
    async proveByCode(code: string) {
      if (code === "") {
        setFault(t("security.codeMissing"));
        return;
      }
      await prove("code", async () => {
        await call(stepUp, { code });
        return true;
      });
    },
    proveByPasskey: () => prove("passkey", showPasskey),
  };
}

/** False: somebody closed the browser's question. */
async function showPasskey(): Promise<boolean> {
  const { ticket, options } = await call(beginPasskeyStepUp, {});
  const { startAuthentication } = await import("@simplewebauthn/browser");
  let credential;
  try {
    credential = await startAuthentication({ optionsJSON: options });
  } catch {
    return false;
  }
  await call(finishPasskeyStepUp, { ticket, credential });
  return true;
}

import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { describeFailure } from "#widgets/server/server-message.ts";

/**
 * Sends a proof of the second factor: only one at a time, and its error is shown until the next
 * attempt. `byCode` and `byPasskey` resolve to the server's answer; undefined: the user closed the
 * browser's passkey dialog.
 */
export function useSecondFactor<Answer>(of: {
  readonly byCode: (code: string) => Promise<Answer>;
  readonly byPasskey: () => Promise<Answer | undefined>;
  readonly texts: { readonly codeMissing: string; readonly passkeyFailed: string };
  readonly onProven: (answer: Answer) => void;
}) {
  const t = useT();
  const [sending, setSending] = useState<"code" | "passkey" | null>(null);
  const [fault, setFault] = useState<string | null>(null);

  async function prove(by: "code" | "passkey", run: () => Promise<Answer | undefined>) {
    if (sending !== null) return;
    setSending(by);
    setFault(null);
    try {
      const answer = await run();
      if (answer === undefined) setFault(of.texts.passkeyFailed);
      else of.onProven(answer);
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(null);
    }
  }

  return {
    sending,
    fault,
    async proveByCode(typed: string) {
      const code = typed.trim();
      if (code !== "") await prove("code", () => of.byCode(code));
      else if (sending === null) setFault(of.texts.codeMissing);
    },
    proveByPasskey: () => prove("passkey", of.byPasskey),
  };
}

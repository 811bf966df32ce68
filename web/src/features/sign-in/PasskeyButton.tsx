import { KeyRound } from "lucide-react";
import { useState } from "react";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { signInByPasskey } from "./oauth.api.ts";

/**
 * A button that signs in by a passkey and nothing else. Hidden if browser or server do not support
 * that.
 */
export function PasskeyButton(props: {
  readonly status: Status;
  readonly onSignedIn: (user: ShortUser) => void;
}) {
  const { status, onSignedIn } = props;
  const t = useT();
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  // Passkeys are bound to the server's public address and do not work at any other.
  const isThere = URL.parse(status.server_address)?.origin === location.origin;
  if (!isThere || !("PublicKeyCredential" in window)) return null;

  async function prove() {
    setSending(true);
    setFault(null);
    try {
      const user = await signInByPasskey(null);
      if (user === undefined) setFault(t("signIn.passkeyFailed"));
      else onSignedIn(user);
    } catch (error) {
      setFault(describeFailure(error, t).title);
    } finally {
      setSending(false);
    }
  }

  return (
    <div className="flex flex-col gap-3">
      {fault !== null && <Banner tone="danger" title={fault} />}
      <Button
        icon={<KeyRound size={16} aria-hidden />}
        loading={isSending}
        onClick={() => void prove()}
      >
        {t("signIn.passkey")}
      </Button>
    </div>
  );
}

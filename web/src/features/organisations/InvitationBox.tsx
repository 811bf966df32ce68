import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { change, roleTexts } from "./organisation-texts.ts";
import { useAcceptInvitation, useInvitation } from "./organisations.api.ts";

/** To what an invitation invites, and the button to join. */
export function InvitationBox(props: { readonly secret: string; readonly onDone: () => void }) {
  const { secret, onDone } = props;
  const t = useT();
  const { data, error } = useInvitation(secret);
  const { mutateAsync: accept, isPending } = useAcceptInvitation();
  if (error !== null) {
    return <Banner tone="warning" title={showMessage(error.message, t)} />;
  }
  if (data === undefined) return null;
  const join = async () => {
    await accept(secret);
    history.replaceState(history.state, "", location.pathname + location.search);
    onDone();
  };
  return (
    <div className="flex flex-wrap items-center gap-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {t("organisations.invitedTo", { name: data.organisation, by: data.invited_by })}
        </p>
        <p className="text-sm">
          <Muted>{t("organisations.invitedAs", { role: t(roleTexts[data.role]) })}</Muted>
        </p>
      </div>
      <Button variant="primary" loading={isPending} onClick={() => void change(t, join)}>
        {t("organisations.join")}
      </Button>
    </div>
  );
}

import type { OrganisationRole } from "@tollgate/contract/endpoints/organisation-rights.ts";
import { organisationRole } from "@tollgate/contract/endpoints/organisation-rights.ts";
import { useState } from "react";
import { showTime } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { change, roleTexts } from "./organisation-texts.ts";
import {
  has,
  type OwnRole,
  useInvitations,
  useInvite,
  useWithdrawInvitation,
} from "./organisations.api.ts";

/** The open invitations of an organisation, and a form for another one. */
export function Invitations({ id, role }: { readonly id: number; readonly role: OwnRole }) {
  const t = useT();
  const [as, setAs] = useState<OrganisationRole>("developer");
  const [email, setEmail] = useState("");
  const { data: invitations = [] } = useInvitations(id, true);
  const { mutateAsync: invite, isPending, data: made } = useInvite();
  const { mutateAsync: withdraw } = useWithdrawInvitation();
  const isOwner = has(role, "own");
  const roles = organisationRole.options.filter((value) => value !== "owner" || isOwner);
  const isThere = made !== undefined && invitations.some((row) => row.id === made.id);
  const send = async () => {
    await invite({ id, role: as, email: email.trim() });
    setEmail("");
  };
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-medium">{t("organisations.invitations")}</h3>
      <p className="text-sm">
        <Muted>{t("organisations.invitationsHelp")}</Muted>
      </p>
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void change(t, send);
        }}
      >
        <div className="w-36">
          <Select<OrganisationRole>
            aria-label={t("organisations.role")}
            items={roles.map((value) => ({ value, label: t(roleTexts[value]) }))}
            value={as}
            onChange={setAs}
          />
        </div>
        <div className="w-60">
          <Input
            type="email"
            aria-label={t("organisations.email")}
            placeholder={t("organisations.email")}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </div>
        <Button type="submit" loading={isPending}>
          {t("organisations.invite")}
        </Button>
      </form>
      {isThere && <MadeLink secret={made.secret} />}
      <ul className="flex flex-col gap-1.5 text-sm" aria-label={t("organisations.invitations")}>
        {invitations.map((row) => (
          <li key={row.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge>{t(roleTexts[row.role])}</Badge>
            {row.email !== "" && <span className="wrap-anywhere">{row.email}</span>}
            <Muted>{t("organisations.until", { time: showTime(row.expires_at, "–") })}</Muted>
            <Button
              size="sm"
              variant="danger"
              onClick={() => void change(t, () => withdraw({ id, invitation: row.id }))}
            >
              {t("organisations.withdraw")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The address is told once: only a hash of its secret is kept. */
function MadeLink({ secret }: { readonly secret: string }) {
  const t = useT();
  const link = `${ownAddress()}/setting#invitation=${secret}`;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex max-w-160 flex-wrap items-center gap-2">
        <div className="min-w-60 flex-1">
          <Input
            aria-label={t("organisations.link")}
            readOnly
            value={link}
            onFocus={(event) => event.target.select()}
          />
        </div>
        <CopyButton secret text={link} label={t("organisations.copyLink")} size="md" />
      </div>
      <p className="text-xs">
        <Muted>{t("organisations.once")}</Muted>
      </p>
    </div>
  );
}

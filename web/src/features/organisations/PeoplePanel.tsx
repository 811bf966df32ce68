import type { Membership } from "@tollgate/contract/endpoints/organisation-people.ts";
import {
  organisationRole,
  type OrganisationRole,
} from "@tollgate/contract/endpoints/organisation-rights.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { Invitations } from "./Invitations.tsx";
import { change, roleTexts } from "./organisation-texts.ts";
import {
  has,
  type OwnRole,
  useChangeMembership,
  useEndMembership,
  useMemberships,
  useTransferOwnership,
} from "./organisations.api.ts";

/** Who belongs to an organisation, and the invitations to it. */
export function PeoplePanel({ id, role }: { readonly id: number; readonly role: OwnRole }) {
  const t = useT();
  const { data: memberships = [] } = useMemberships(id);
  const mayChange = has(role, "memberships");
  return (
    <div className="flex flex-col gap-6">
      <ul aria-label={t("organisations.tabPeople")} className="-my-3 flex flex-col divide-y">
        {memberships.map((row) => (
          <Row key={row.user_id} id={id} role={role} row={row} />
        ))}
      </ul>
      {mayChange && <Invitations id={id} role={role} />}
    </div>
  );
}

function Row(props: { readonly id: number; readonly role: OwnRole; readonly row: Membership }) {
  const { id, role, row } = props;
  const t = useT();
  const confirm = useConfirm();
  const isOwn = useSession()?.id === row.user_id;
  const { mutateAsync: changeRole } = useChangeMembership();
  const { mutateAsync: end } = useEndMembership();
  const { mutateAsync: giveTo } = useTransferOwnership();
  const isOwner = has(role, "own");
  const mayChange = has(role, "memberships") && (row.role !== "owner" || isOwner);
  const leave = async () => {
    const agreed = await confirm({
      title: isOwn
        ? t("organisations.leaveTitle")
        : t("organisations.putOutTitle", { name: row.username }),
      body: t("organisations.putOutBody"),
      confirmLabel: isOwn ? t("organisations.leave") : t("organisations.putOut"),
      tone: "danger",
    });
    if (agreed) await change(t, () => end({ id, user_id: row.user_id }));
  };
  const give = async () => {
    const agreed = await confirm({
      title: t("organisations.giveTitle", { name: row.username }),
      body: t("organisations.giveBody"),
      confirmLabel: t("organisations.give"),
      tone: "danger",
    });
    if (agreed) await change(t, () => giveTo({ id, user_id: row.user_id }));
  };
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-3 py-3">
      <div className="min-w-0 flex-1">
        <span className="font-medium">{row.username}</span>{" "}
        {row.display_name !== row.username && <Muted>{row.display_name}</Muted>}
      </div>
      {mayChange ? (
        <div className="w-36">
          <Select<OrganisationRole>
            size="sm"
            aria-label={t("organisations.roleOf", { name: row.username })}
            items={roleItems(isOwner).map((value) => ({ value, label: t(roleTexts[value]) }))}
            value={row.role}
            onChange={(next) =>
              void change(t, () => changeRole({ id, user_id: row.user_id, role: next }))
            }
          />
        </div>
      ) : (
        <Badge>{t(roleTexts[row.role])}</Badge>
      )}
      {isOwner && !isOwn && row.role !== "owner" && (
        <Button size="sm" onClick={() => void give()}>
          {t("organisations.give")}
        </Button>
      )}
      {(mayChange || isOwn) && (
        <Button size="sm" variant="danger" onClick={() => void leave()}>
          {isOwn ? t("organisations.leave") : t("organisations.putOut")}
        </Button>
      )}
    </li>
  );
}

/** The roles that somebody may give. */
function roleItems(isOwner: boolean): readonly OrganisationRole[] {
  return organisationRole.options.filter((value) => value !== "owner" || isOwner);
}

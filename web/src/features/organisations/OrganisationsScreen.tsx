import type { Organisation } from "@tollgate/contract/endpoints/organisations.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { AnchoredCard } from "#ui/layout/AnchoredCard.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import { CreateSheet } from "./CreateSheet.tsx";
import { InvitationBox } from "./InvitationBox.tsx";
import { roleTexts } from "./organisation-texts.ts";
import { OrganisationHome } from "./OrganisationHome.tsx";
import { type OwnRole, useAllOrganisations, useOwnOrganisations } from "./organisations.api.ts";

/** The secret of the invitation that brought the user here; empty: none did. */
function secretInAddress(): string {
  return /^#invitation=([\w-]+)$/.exec(location.hash)?.[1] ?? "";
}

type Row = Organisation & { readonly role: OwnRole };

/**
 * The organisations of the user, and for root all of them. Users who belong to none, and came by no
 * invitation, see nothing.
 */
export function OrganisationsScreen() {
  const t = useT();
  const isRoot = useSession()?.role === role.enum.root;
  const [secret, setSecret] = useState(secretInAddress);
  const [opened, setOpened] = useState<number | null>(null);
  const [creating, setCreating] = useState(false);
  const { data: own = [] } = useOwnOrganisations();
  const { data: all } = useAllOrganisations(isRoot);
  const others = (all?.items ?? []).filter(({ id }) => !own.some((row) => row.id === id));
  const rows: readonly Row[] = [
    ...own,
    ...others.map((row) => ({ ...row, role: "root" as const })),
  ];
  if (rows.length === 0 && secret === "" && !isRoot) return null;
  const chosen = opened ?? (rows.length === 1 && !isRoot ? (rows[0]?.id ?? null) : null);
  return (
    <>
      <AnchoredCard
        anchor="organisations"
        title={t("organisations.title")}
        help={t("organisations.help")}
        actions={
          isRoot && (
            <Button size="sm" onClick={() => setCreating(true)}>
              {t("organisations.create")}
            </Button>
          )
        }
      >
        {secret !== "" && <InvitationBox secret={secret} onDone={() => setSecret("")} />}
        <List rows={rows} chosen={chosen} onOpen={setOpened} />
      </AnchoredCard>
      {chosen !== null && (
        <OrganisationHome key={chosen} id={chosen} onGone={() => setOpened(null)} />
      )}
      {creating && <CreateSheet onClose={() => setCreating(false)} />}
    </>
  );
}

function List(props: {
  readonly rows: readonly Row[];
  readonly chosen: number | null;
  readonly onOpen: (id: number) => void;
}) {
  const { rows, chosen, onOpen } = props;
  const t = useT();
  if (rows.length === 0) return <Muted>{t("organisations.none")}</Muted>;
  return (
    <ul aria-label={t("organisations.title")} className="-my-3 flex flex-col divide-y">
      {rows.map((row) => (
        <li key={row.id} className="flex min-w-0 flex-wrap items-center gap-3 py-3">
          <div className="min-w-0 flex-1">
            <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
              <span className="min-w-0 truncate font-medium">{row.name}</span>
              <Badge>{t(roleTexts[row.role])}</Badge>
              {row.state === "suspended" && (
                <Badge tone="warning">{t("organisations.suspended")}</Badge>
              )}
            </div>
            <div className="mt-0.5 flex min-w-0 flex-wrap gap-x-3 text-xs tabular-nums">
              <Muted>@{row.handle}</Muted>
              <Muted>
                {t("organisations.balance")} <QuotaText quota={row.quota} />
              </Muted>
              <Muted>{t("organisations.peopleCount", { count: row.people })}</Muted>
            </div>
          </div>
          <Button
            size="sm"
            aria-label={t("organisations.openOf", { name: row.name })}
            disabled={row.id === chosen}
            onClick={() => onOpen(row.id)}
          >
            {t("organisations.show")}
          </Button>
        </li>
      ))}
    </ul>
  );
}

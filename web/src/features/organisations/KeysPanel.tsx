import type { OrganisationKey } from "@tollgate/contract/endpoints/organisation-projects.ts";
import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { NewKeySheet } from "./NewKeySheet.tsx";
import { change } from "./organisation-texts.ts";
import {
  has,
  type OwnRole,
  revealKey,
  useKeys,
  useProjects,
  useRemoveKey,
  useSwitchKey,
} from "./organisations.api.ts";

/** The keys of an organisation that the user may see, by their projects. */
export function KeysPanel({ id, role }: { readonly id: number; readonly role: OwnRole }) {
  const t = useT();
  const { data: keys = [] } = useKeys(id);
  const { data: projects = [] } = useProjects(id);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const names = new Map(projects.map((project) => [project.id, project.name]));
  return (
    <div className="flex flex-col gap-4">
      {has(role, "use") && (
        <div>
          <Button onClick={() => setMaking(true)}>{t("organisations.addKey")}</Button>
        </div>
      )}
      {made !== null && (
        <div className="flex min-w-0 flex-col gap-2">
          <Banner tone="warning" title={t("organisations.keyMade")} />
          <div className="flex min-w-0 items-center gap-2">
            <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">
              {`sk-${made}`}
            </code>
            <CopyButton secret text={`sk-${made}`} label={t("organisations.copyKey")} />
          </div>
        </div>
      )}
      {keys.length === 0 && <Muted>{t("organisations.keysNone")}</Muted>}
      <ul aria-label={t("organisations.tabKeys")} className="-my-3 flex flex-col divide-y">
        {keys.map((row) => (
          <Row key={row.id} id={id} row={row} project={names.get(row.project) ?? ""} />
        ))}
      </ul>
      {making && (
        <NewKeySheet
          id={id}
          role={role}
          projects={projects.filter(({ state }) => state === "open")}
          onMade={setMade}
          onClose={() => setMaking(false)}
        />
      )}
    </div>
  );
}

function Row(props: {
  readonly id: number;
  readonly row: OrganisationKey;
  readonly project: string;
}) {
  const { id, row, project } = props;
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: switchKey } = useSwitchKey();
  const { mutateAsync: remove } = useRemoveKey();
  const isEnabled = row.status === tokenStatus.enum.enabled;
  const end = async () => {
    const agreed = await confirm({
      title: t("organisations.removeKeyTitle", { name: row.name }),
      body: t("organisations.removeKeyBody"),
      confirmLabel: t("organisations.remove"),
      tone: "danger",
    });
    if (agreed) await change(t, () => remove({ id, token: row.id }));
  };
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-3 py-3">
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 truncate font-medium">{row.name}</span>
          <Badge>{project}</Badge>
          <Badge>{row.user_id === 0 ? t("organisations.service") : row.username}</Badge>
          {!isEnabled && <Badge tone="warning">{t("organisations.disabled")}</Badge>}
        </div>
        <div className="mt-0.5 flex flex-wrap gap-x-3 text-xs tabular-nums">
          <Muted>
            <code className="font-mono">{`sk-${row.key}`}</code>
          </Muted>
          <Muted>
            {t("organisations.used")} <QuotaText quota={row.used_quota} />
          </Muted>
        </div>
      </div>
      <CopyButton
        secret
        read={async () => `sk-${await revealKey(id, row.id)}`}
        label={t("organisations.copyKey")}
      />
      <Button
        size="sm"
        onClick={() => void change(t, () => switchKey({ id, token: row.id, enabled: !isEnabled }))}
      >
        {isEnabled ? t("organisations.disable") : t("organisations.enable")}
      </Button>
      <Button size="sm" variant="danger" onClick={() => void end()}>
        {t("organisations.remove")}
      </Button>
    </li>
  );
}

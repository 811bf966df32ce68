import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Figure } from "#ui/chart/Figure.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { KeysPanel } from "./KeysPanel.tsx";
import { change } from "./organisation-texts.ts";
import {
  has,
  type OwnRole,
  useCloseOrganisation,
  useOrganisation,
  useUpdateOrganisation,
} from "./organisations.api.ts";
import { PeoplePanel } from "./PeoplePanel.tsx";
import { ProjectsPanel } from "./ProjectsPanel.tsx";
import { TransferSheet } from "./TransferSheet.tsx";
import { UsePanel } from "./UsePanel.tsx";

type Tab = "keys" | "people" | "projects" | "use";

/** An organisation: its balance, what was spent, its projects, keys and people. */
export function OrganisationHome(props: { readonly id: number; readonly onGone: () => void }) {
  const { id, onGone } = props;
  const t = useT();
  const [tab, setTab] = useState<Tab>("use");
  const { data, error, refetch } = useOrganisation(id);
  if (data === undefined) {
    if (error === null) return <Skeleton height={160} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Card
      title={<h2>{data.name}</h2>}
      actions={<Actions {...data} isSuspended={data.state === "suspended"} onGone={onGone} />}
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap gap-x-10 gap-y-3">
          <Figure label={t("organisations.balance")}>
            <QuotaText quota={data.quota} />
          </Figure>
          <Figure label={t("organisations.used")}>
            <QuotaText quota={data.used_quota} />
          </Figure>
          {data.debt > 0 && (
            <Figure label={t("organisations.debt")}>
              <QuotaText quota={data.debt} />
            </Figure>
          )}
        </div>
        <Tabs
          aria-label={data.name}
          items={[
            { value: "use", label: t("organisations.tabUse") },
            { value: "projects", label: t("organisations.tabProjects") },
            { value: "keys", label: t("organisations.tabKeys") },
            { value: "people", label: t("organisations.tabPeople") },
          ]}
          value={tab}
          onChange={setTab}
        >
          {tab === "use" && <UsePanel id={id} />}
          {tab === "projects" && <ProjectsPanel id={id} role={data.role} />}
          {tab === "keys" && <KeysPanel id={id} role={data.role} />}
          {tab === "people" && <PeoplePanel id={id} role={data.role} />}
        </Tabs>
      </div>
    </Card>
  );
}

/** Moving quota, and for its owner and root what ends the organisation or stops it. */
function Actions(props: {
  readonly id: number;
  readonly handle: string;
  readonly role: OwnRole;
  readonly quota: number;
  readonly isSuspended: boolean;
  readonly onGone: () => void;
}) {
  const { id, handle, role, quota, isSuspended, onGone } = props;
  const t = useT();
  const confirm = useConfirm();
  const [moving, setMoving] = useState(false);
  const { mutateAsync: update } = useUpdateOrganisation();
  const { mutateAsync: close } = useCloseOrganisation();
  const end = async () => {
    const agreed = await confirm({
      title: t("organisations.closeTitle"),
      body: t("organisations.closeBody"),
      confirmLabel: t("organisations.close"),
      tone: "danger",
      typed: handle,
    });
    if (!agreed) return;
    await change(t, async () => {
      await close({ id, handle });
      onGone();
    });
  };
  return (
    <>
      {has(role, "billing") && (
        <Button size="sm" onClick={() => setMoving(true)}>
          {t("organisations.transfer")}
        </Button>
      )}
      {role === "root" && (
        <Button
          size="sm"
          onClick={() =>
            void change(t, () => update({ id, state: isSuspended ? "open" : "suspended" }))
          }
        >
          {isSuspended ? t("organisations.resume") : t("organisations.suspend")}
        </Button>
      )}
      {has(role, "own") && (
        <Button size="sm" variant="danger" onClick={() => void end()}>
          {t("organisations.close")}
        </Button>
      )}
      {moving && <TransferSheet id={id} quota={quota} onClose={() => setMoving(false)} />}
    </>
  );
}

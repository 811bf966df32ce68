import type { Project } from "@tollgate/contract/endpoints/organisation-projects.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { change, projectLooks } from "./organisation-texts.ts";
import {
  has,
  type OwnRole,
  useCreateProject,
  useProjects,
  useUpdateProject,
} from "./organisations.api.ts";

/** The projects of an organisation, and what their keys have spent. */
export function ProjectsPanel({ id, role }: { readonly id: number; readonly role: OwnRole }) {
  const t = useT();
  const { data: projects = [] } = useProjects(id);
  const mayChange = has(role, "projects");
  return (
    <div className="flex flex-col gap-4">
      {mayChange && <NewProject id={id} />}
      <ul aria-label={t("organisations.tabProjects")} className="-my-3 flex flex-col divide-y">
        {projects.map((project) => (
          <Row key={project.id} id={id} project={project} mayChange={mayChange} />
        ))}
      </ul>
    </div>
  );
}

function NewProject({ id }: { readonly id: number }) {
  const t = useT();
  const [name, setName] = useState("");
  const { mutateAsync: create, isPending } = useCreateProject();
  const make = async () => {
    await create({ id, name });
    setName("");
  };
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void change(t, make);
      }}
    >
      <div className="w-60">
        <Input
          aria-label={t("organisations.projectName")}
          placeholder={t("organisations.projectName")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <Button type="submit" loading={isPending} disabled={name.trim() === ""}>
        {t("organisations.addProject")}
      </Button>
    </form>
  );
}

function Row(props: {
  readonly id: number;
  readonly project: Project;
  readonly mayChange: boolean;
}) {
  const { id, project, mayChange } = props;
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: update } = useUpdateProject();
  const look = projectLooks[project.state];
  const isOpen = project.state === "open";
  const close = async () => {
    const agreed = await confirm({
      title: t("organisations.closeProjectTitle", { name: project.name }),
      body: t("organisations.closeProjectBody"),
      confirmLabel: t("organisations.close"),
      tone: "danger",
    });
    if (agreed) await change(t, () => update({ id, project: project.id, state: "closed" }));
  };
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-3 py-3">
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 truncate font-medium">{project.name}</span>
          <Badge tone={look.tone}>{t(look.text)}</Badge>
        </div>
        <div className="mt-0.5 flex flex-wrap gap-x-3 text-xs tabular-nums">
          <Muted>{t("organisations.keyCount", { count: project.key_count })}</Muted>
          <Muted>
            {t("organisations.used")} <QuotaText quota={project.used_quota} />
          </Muted>
        </div>
      </div>
      {mayChange && project.state !== "closed" && (
        <>
          <Button
            size="sm"
            onClick={() =>
              void change(t, () =>
                update({ id, project: project.id, state: isOpen ? "suspended" : "open" }),
              )
            }
          >
            {isOpen ? t("organisations.suspend") : t("organisations.resume")}
          </Button>
          <Button size="sm" variant="danger" onClick={() => void close()}>
            {t("organisations.close")}
          </Button>
        </>
      )}
    </li>
  );
}

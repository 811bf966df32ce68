import type { Project } from "@tollgate/contract/endpoints/organisation-projects.ts";
import { useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { has, type OwnRole, useCreateKey } from "./organisations.api.ts";

type KeyForm = { name: string; project: string; service: boolean; budget: number | null };

const F = fieldsOf<KeyForm>();

/** Makes a key in a project: the user's own, or the project's. */
export function NewKeySheet(props: {
  readonly id: number;
  readonly role: OwnRole;
  /** The projects that are open. */
  readonly projects: readonly Project[];
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}) {
  const { id, role, projects, onMade, onClose } = props;
  const t = useT();
  const { mutateAsync: create } = useCreateKey();
  const schema = useMemo(
    () =>
      z.object({
        name: z.string().trim().min(1, t("organisations.required")),
        project: z.string().min(1, t("organisations.required")),
        service: z.boolean(),
        budget: z.custom<number | null>(),
      }),
    [t],
  );
  const values = useMemo<KeyForm>(
    () => ({ name: "", project: String(projects[0]?.id ?? ""), service: false, budget: null }),
    [projects],
  );
  return (
    <FormSheet
      open
      title={t("organisations.addKey")}
      schema={schema}
      values={values}
      onSubmit={async ({ name, project, service, budget }) => {
        const rest = { unlimited_quota: true, budget_month: budget ?? 0 };
        const made = await create({ id, name, project: Number(project), service, ...rest });
        onMade(made.key);
        toastSaved(t("organisations.saved"));
      }}
      onClose={onClose}
    >
      <F.Text name="name" label={t("organisations.keyName")} required />
      <F.Select
        name="project"
        label={t("organisations.project")}
        items={projects.map((project) => ({ value: String(project.id), label: project.name }))}
      />
      {has(role, "keys") && (
        <F.Switch
          name="service"
          label={t("organisations.service")}
          help={t("organisations.serviceHelp")}
        />
      )}
      <F.Custom
        name="budget"
        label={t("organisations.budgetMonth")}
        help={t("organisations.budgetHelp")}
      >
        {(control) => <QuotaInput {...control} />}
      </F.Custom>
    </FormSheet>
  );
}

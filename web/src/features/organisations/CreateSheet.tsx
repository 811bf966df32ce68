import { organisationNameMax } from "@tollgate/contract/endpoints/organisations.ts";
import { useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { useCreateOrganisation } from "./organisations.api.ts";

type CreateForm = { name: string; handle: string; owner: string };

const F = fieldsOf<CreateForm>();
const empty: CreateForm = { name: "", handle: "", owner: "" };

/** Makes an organisation, for root. */
export function CreateSheet({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const { mutateAsync: create } = useCreateOrganisation();
  const schema = useMemo(() => {
    const required = z.string().trim().min(1, t("organisations.required"));
    return z.object({
      name: required.max(organisationNameMax),
      handle: required.regex(/^[a-z0-9][a-z0-9-]{0,9}[a-z0-9]$/, t("organisations.handleRule")),
      owner: required,
    });
  }, [t]);
  return (
    <FormSheet
      open
      title={t("organisations.create")}
      description={t("organisations.createHow")}
      schema={schema}
      values={empty}
      onSubmit={async (form) => {
        await create(form);
        toastSaved(t("organisations.saved"));
      }}
      onClose={onClose}
    >
      <F.Text name="name" label={t("organisations.name")} required />
      <F.Text
        name="handle"
        label={t("organisations.handle")}
        help={t("organisations.handleRule")}
        required
      />
      <F.Text
        name="owner"
        label={t("organisations.ownerName")}
        help={t("organisations.ownerHelp")}
        required
      />
    </FormSheet>
  );
}

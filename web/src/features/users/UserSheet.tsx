import { type AdminUser, passwordMin, usernameMax } from "@tollgate/contract/endpoints/users.ts";
import { useMemo, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { showQuota } from "#display/quota.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { Section } from "#ui/layout/Section.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { toast, toastSaved } from "#ui/overlays/toast.ts";
import { HelpOn } from "#widgets/help/HelpOn.tsx";
import { QuotaFields } from "./QuotaFields.tsx";
import {
  isChangedElsewhere,
  newUserForm,
  type NewUserForm,
  newUserSchema,
  type UserForm,
  userFormOf,
  userSchema,
} from "./user-form.ts";
import { LinkedAccounts, UserFacts } from "./UserFacts.tsx";
import { type Caller, refusalOf } from "./user-rules.ts";
import { readUserNow, useCreateUser, useGroupNames, useUpdateUser } from "./users.api.ts";

const New = fieldsOf<NewUserForm>();
const F = fieldsOf<UserForm>();

/**
 * A sheet that creates an ordinary user, who gets the same group and quota as after a registration.
 */
export function NewUserSheet({ onClose }: { onClose: () => void }) {
  const t = useT();
  const create = useCreateUser();
  const schema = useMemo(() => newUserSchema(t), [t]);
  return (
    <FormSheet
      open
      title={t("users.createTitle")}
      submitLabel={t("users.submitCreate")}
      schema={schema}
      values={newUserForm}
      onSubmit={async (form) => {
        await create.mutateAsync(form);
        toast({ tone: "success", title: t("users.createdOne", { name: form.username }) });
      }}
      onClose={onClose}
    >
      <FormSection id="basic" title={t("users.sectionBasic")}>
        <New.Text
          name="username"
          label={t("users.username")}
          help={t("users.usernameHelp", { max: usernameMax })}
          required
          autoFocus
          spellCheck={false}
        />
        <New.Text
          name="display_name"
          label={t("users.displayName")}
          placeholder={t("users.displayNamePlaceholder")}
        />
        <New.Password
          name="password"
          label={t("users.password")}
          help={t("users.passwordHelp", { min: passwordMin })}
          required
        />
      </FormSection>
    </FormSheet>
  );
}

/**
 * A sheet that edits a user. If the caller may not change this user, it shows the values and the
 * reason.
 */
export function UserSheet(props: { user: AdminUser; caller: Caller; onClose: () => void }) {
  const { user, caller, onClose } = props;
  // The user as it was when the sheet opened. Actions may change the row meanwhile; saving compares
  // with this copy.
  const [read] = useState(user);
  const t = useT();
  const why = refusalOf("edit", read, caller);
  if (why === null) {
    return <EditUserSheet read={read} isSelf={read.id === caller.id} onClose={onClose} />;
  }
  return (
    <Sheet open onClose={onClose} title={t("users.viewTitle")} description={read.username}>
      <div className="flex flex-col gap-6">
        <Banner tone="info" title={t(why)} />
        <Section title={t("users.sectionFacts")}>
          <UserFacts user={read} />
        </Section>
        <Section title={t("users.sectionLinked")}>
          <LinkedAccounts user={read} />
        </Section>
      </div>
    </Sheet>
  );
}

function EditUserSheet(props: { read: AdminUser; isSelf: boolean; onClose: () => void }) {
  const { read, isSelf, onClose } = props;
  const t = useT();
  const update = useUpdateUser();
  const [values] = useState(() => userFormOf(read));
  const schema = useMemo(() => userSchema(t, read), [t, read]);
  return (
    <FormSheet
      open
      title={t("users.editTitle")}
      description={read.username}
      schema={schema}
      values={values}
      onSubmit={async (edit) => {
        if (Object.keys(edit).length === 0) return;
        await update.mutateAsync({ id: read.id, edit });
        toastSaved(t("users.saved"));
      }}
      checkStale={async () => isChangedElsewhere(read, await readUserNow(read.id))}
      onClose={onClose}
    >
      {read.debt > 0 && <DebtBanner debt={read.debt} />}
      <BasicFields read={read} isSelf={isSelf} t={t} />
      <FormSection id="quota" title={t("users.sectionQuota")}>
        <QuotaFields read={read} />
      </FormSection>
      <FormSection id="linked" title={t("users.sectionLinked")} description={t("users.linkedHelp")}>
        <LinkedAccounts user={read} />
      </FormSection>
      <FormSection id="facts" title={t("users.sectionFacts")} folded>
        <UserFacts user={read} />
      </FormSection>
    </FormSheet>
  );
}

function DebtBanner({ debt }: { debt: number }) {
  const t = useT();
  const amount = showQuota(debt, useQuotaDisplay());
  return <Banner tone="danger" title={t("users.owes", { amount })} />;
}

function BasicFields({ read, isSelf, t }: { read: AdminUser; isSelf: boolean; t: T }) {
  const { data: names } = useGroupNames();
  const groups = [...new Set([...(names ?? []), read.group])];
  const group = F.useValue("group");
  const isGone = names !== undefined && !names.includes(group);
  return (
    <FormSection id="basic" title={t("users.sectionBasic")}>
      <F.Text
        name="username"
        label={t("users.username")}
        help={t("users.usernameHelp", { max: usernameMax })}
        required
        spellCheck={false}
      />
      <F.Text
        name="display_name"
        label={t("users.displayName")}
        placeholder={t("users.displayNamePlaceholder")}
      />
      <F.Password
        name="password"
        label={t("users.password")}
        placeholder={t("users.passwordKeep")}
        help={t(isSelf ? "users.passwordOwnHelp" : "users.passwordEditHelp", { min: passwordMin })}
      />
      <F.Combobox
        name="group"
        label={t("users.group")}
        about={<HelpOn term="group" word={t("users.group")} />}
        items={groups.map((name) => ({ value: name, label: name }))}
        loading={names === undefined}
        help={isGone ? t("widgets.groupGone") : undefined}
      />
    </FormSection>
  );
}

import { useNavigate } from "@tanstack/react-router";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { useMemo } from "react";
import { z } from "zod";
import { keepSession } from "#api/session.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { below } from "#page/base-path.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { takeReturnAddress } from "#widgets/sign-in/return-address.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { FormDialog } from "./FormDialog.tsx";
import { useRemoveSelf } from "./account.api.ts";
import { TextField } from "./TextField.tsx";
import { useDialogForm } from "./use-dialog-form.ts";

/** Tells the user what is lost with the account, and asks for the username as a confirmation. */
export function DeleteDialog(props: { readonly self: User; readonly onClose: () => void }) {
  const { self, onClose } = props;
  const t = useT();
  const navigate = useNavigate();
  const display = useQuotaDisplay();
  const { mutateAsync: remove } = useRemoveSelf();
  const schema = useMemo(
    () =>
      z.object({
        username: z
          .string()
          .trim()
          .refine((typed) => typed === self.username, t("account.deleteNameWrong")),
      }),
    [t, self.username],
  );
  const form = useDialogForm({
    empty: { username: "" },
    schema,
    refusedField: "username",
    send: ({ username }) => remove(username),
    onSent: () => void leave(),
  });

  async function leave() {
    // The session is removed first, because queries on the screen would otherwise be sent again and
    // be answered with 401.
    keepSession(null);
    // The sign-in screen shows the message: a toast would be lost, because that screen has another
    // frame.
    await navigate({ href: below("/login?deleted=true"), replace: true });
    // Forgets the address of this screen, so that nobody who signs in next is sent there.
    takeReturnAddress(self.id);
  }

  const { typed, faults, change } = form;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t("account.deleteTitle")}
      submitLabel={t("account.delete")}
      danger
    >
      <Banner tone="danger" title={t("account.deleteForGood")}>
        <ul className="mt-1 list-disc pl-4">
          <li>{t("account.deleteLosesQuota", { quota: showQuota(self.quota, display) })}</li>
          {self.aff_quota > 0 && (
            <li>
              {t("account.deleteLosesEarnings", { quota: showQuota(self.aff_quota, display) })}
            </li>
          )}
          <li>{t("account.deleteLosesTokens")}</li>
          <li>{t("account.deleteKeepsName", { name: self.username })}</li>
        </ul>
      </Banner>
      <TextField
        name="username"
        label={t("account.deleteType", { name: self.username })}
        autoComplete="off"
        spellCheck={false}
        value={typed.username}
        fault={faults.username}
        onChange={(username) => change({ username })}
      />
    </FormDialog>
  );
}

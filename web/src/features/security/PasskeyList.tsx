/** A user's passkeys. */

import type { SecondFactors } from "@tollgate/contract/endpoints/second-factor.ts";
import { passkeyNameMax } from "@tollgate/contract/endpoints/second-factor.ts";
import { Pencil, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { TipArea } from "#ui/table/cells/TipArea.tsx";
import { passkeyName } from "./PasskeyAddDialog.tsx";
import { useRemovePasskey, useRenamePasskey } from "./second-factor.api.ts";

type Passkey = SecondFactors["passkeys"][number];

export function PasskeyList(props: {
  readonly passkeys: readonly Passkey[];
  /** Whether the user also has an authenticator app. */
  readonly hasApp: boolean;
}) {
  const { passkeys, hasApp } = props;
  const t = useT();
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  return (
    <TipArea>
      <ul aria-label={t("security.passkeys")} className="flex flex-col gap-3 pl-8">
        {passkeys.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            isLast={passkeys.length === 1 && !hasApp}
            onRename={() => setRenamed(passkey)}
          />
        ))}
      </ul>
      {renamed !== null && <RenameDialog passkey={renamed} onClose={() => setRenamed(null)} />}
    </TipArea>
  );
}

function PasskeyRow(props: {
  readonly passkey: Passkey;
  /** Whether this passkey is the user's last second factor. */
  readonly isLast: boolean;
  readonly onRename: () => void;
}) {
  const { passkey, isLast, onRename } = props;
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: remove, isPending } = useRemovePasskey();
  const name = passkey.name === "" ? t("security.passkeyUnnamed") : passkey.name;

  async function drop() {
    const agreed = await confirm({
      title: t("security.passkeyRemoveTitle", { name }),
      body: isLast ? t("security.offLast") : t("security.passkeyRemoveBody"),
      confirmLabel: t("security.remove"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      await remove(passkey.id);
      toast({ tone: "success", title: t("security.passkeyRemoved") });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <li className="flex min-w-0 items-center gap-2">
      <div className="min-w-0 flex-1">
        <div className="truncate">{name}</div>
        <div className="flex flex-wrap gap-x-3 text-xs">
          <Muted>
            {t("security.passkeyCreated")} <TimeCell seconds={passkey.created_at} />
          </Muted>
          <Muted>
            {t("security.passkeyUsed")}{" "}
            <TimeCell seconds={passkey.used_at} none={t("security.never")} />
          </Muted>
        </div>
      </div>
      <IconButton
        label={t("security.passkeyRename", { name })}
        icon={<Pencil size={16} aria-hidden />}
        onClick={onRename}
      />
      <IconButton
        label={t("security.passkeyRemove", { name })}
        icon={<Trash2 size={16} aria-hidden />}
        disabled={isPending}
        onClick={() => void drop()}
      />
    </li>
  );
}

type RenameForm = { name: string };
const F = fieldsOf<RenameForm>();

function RenameDialog(props: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { passkey, onClose } = props;
  const t = useT();
  const { mutateAsync: rename } = useRenamePasskey();
  const schema = useMemo(
    () =>
      z.object({ name: passkeyName(t("security.passkeyNameTooLong", { max: passkeyNameMax })) }),
    [t],
  );
  return (
    <Dialog open onClose={onClose} width="sm" title={t("security.passkeyRenameTitle")}>
      <PlainForm<RenameForm, RenameForm>
        schema={schema}
        values={{ name: passkey.name }}
        onSubmit={async ({ name }) => {
          await rename({ id: passkey.id, name });
          onClose();
        }}
        footer={<Button onClick={onClose}>{t("ui.cancel")}</Button>}
      >
        <F.Text name="name" label={t("security.passkeyName")} />
      </PlainForm>
    </Dialog>
  );
}

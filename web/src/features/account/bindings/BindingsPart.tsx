import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { useEffect, useMemo, useRef, useState } from "react";
import { z } from "zod";
import { CallError } from "#api/call.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { openProvider } from "#widgets/sign-in/provider-window.ts";
import { providerName, type RedirectProvider } from "#widgets/sign-in/providers.ts";
import { passwordSchema } from "./binding-form.ts";
import { type BindingRow, bindingRows, type BindingType, isRedirect } from "./binding-rows.ts";
import { FormDialog } from "#features/account/FormDialog.tsx";
import { Part } from "#features/account/Part.tsx";
import { PresentPassword } from "#features/account/TextField.tsx";
import { useDialogForm } from "#features/account/use-dialog-form.ts";
import {
  beginBinding,
  useAsksPassword,
  useReadSelf,
  useUnbind,
} from "#features/account/account.api.ts";

/** The actions on sign-in methods that open a dialog. */
type BindingDialog = "mail" | "telegram" | "unmail" | "wechat";

/** The user's e-mail address and OAuth identities, with buttons to bind and unbind them. */
export function BindingsPart(props: {
  readonly self: User;
  readonly status: Status;
  readonly onOpen: (dialog: BindingDialog) => void;
}) {
  const { self, status, onOpen } = props;
  const t = useT();
  return (
    <Part name="bindings" help={t("account.bindingsHelp")}>
      <ul aria-label={t("account.bindings")} className="-my-3 flex flex-col divide-y">
        {bindingRows(self, status).map((row) => (
          <Row key={row.type} row={row} status={status} onOpen={onOpen} />
        ))}
      </ul>
    </Part>
  );
}

function Row(props: {
  readonly row: BindingRow;
  readonly status: Status;
  readonly onOpen: (dialog: BindingDialog) => void;
}) {
  const { row, status, onOpen } = props;
  const t = useT();
  const name = useBindingName(row.type);
  const isBound = row.bound !== "";
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <div className="flex min-w-0 flex-1 basis-48 flex-col gap-0.5">
        <span className="flex items-center gap-2 font-medium">
          {name}
          {isBound && !row.isOffered && <Badge>{t("account.bindingOff")}</Badge>}
        </span>
        <span className="text-sm wrap-anywhere">
          {isBound ? row.bound : <Muted>{t("account.bindingNone")}</Muted>}
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {row.isOffered && <Bind row={row} status={status} onOpen={onOpen} name={name} />}
        {isBound &&
          (row.type === "email" ? (
            <Button
              size="sm"
              aria-label={t("account.unbindOf", { name })}
              onClick={() => onOpen("unmail")}
            >
              {t("account.unbind")}
            </Button>
          ) : (
            <Unbind type={row.type} name={name} />
          ))}
      </div>
    </li>
  );
}

function Bind(props: {
  readonly row: BindingRow;
  readonly status: Status;
  readonly name: string;
  readonly onOpen: (dialog: BindingDialog) => void;
}) {
  const { row, status, name, onOpen } = props;
  const { type } = row;
  const t = useT();
  const isBound = row.bound !== "";
  const label = isBound ? t("account.bindingReplace") : t("account.bind");
  const fullLabel = isBound
    ? t("account.bindingReplaceOf", { name })
    : t("account.bindOf", { name });
  if (isRedirect(type)) {
    return <BindIdentity provider={type} status={status} label={label} fullLabel={fullLabel} />;
  }
  return (
    <Button
      size="sm"
      aria-label={fullLabel}
      onClick={() => onOpen(type === "email" ? "mail" : type)}
    >
      {label}
    </Button>
  );
}

/** The button that opens a provider's page, to bind an identity there to the signed-in user. */
function BindIdentity(props: {
  readonly provider: RedirectProvider;
  readonly status: Status;
  readonly label: string;
  readonly fullLabel: string;
}) {
  const { provider, status, label, fullLabel } = props;
  const t = useT();
  const [isGoing, setGoing] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const asksPassword = useAsksPassword();
  const readAgain = useReadSelf();
  const stopWaiting = useRef(() => {});
  useEffect(() => () => stopWaiting.current(), []);

  function showBound() {
    toast({ tone: "success", title: t("account.bound", { name: providerName(provider) }) });
    void readAgain();
  }

  async function begin(password?: string) {
    const visit = await beginBinding(provider, status, password);
    stopWaiting.current();
    stopWaiting.current = openProvider(visit, showBound);
  }

  async function go() {
    if (asksPassword) {
      setAsking(true);
      return;
    }
    setGoing(true);
    try {
      await begin();
    } catch (error) {
      // The server asks for the password, which this page did not know yet.
      if (error instanceof CallError && error.field === "password") setAsking(true);
      else toastError(error);
    } finally {
      setGoing(false);
    }
  }

  return (
    <>
      <Button size="sm" aria-label={fullLabel} loading={isGoing} onClick={() => void go()}>
        {label}
      </Button>
      {isAsking && (
        <ProofDialog name={providerName(provider)} begin={begin} onClose={() => setAsking(false)} />
      )}
    </>
  );
}

function Unbind({ type, name }: { readonly type: BindingType; readonly name: string }) {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: unbind, isPending } = useUnbind();

  async function ask() {
    const agreed = await confirm({
      title: t("account.unbindTitle", { name }),
      body: t("account.unbindBody"),
      confirmLabel: t("account.unbind"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      await unbind(type);
      toast({ tone: "success", title: t("account.unbound", { name }) });
    } catch (error) {
      const description = describeError(error).title;
      toast({ tone: "danger", title: t("account.unbindFailed"), description });
    }
  }

  return (
    <Button
      size="sm"
      aria-label={t("account.unbindOf", { name })}
      loading={isPending}
      onClick={() => void ask()}
    >
      {t("account.unbind")}
    </Button>
  );
}

const names: Readonly<Partial<Record<BindingType, TextKey>>> = {
  email: "account.email",
  wechat: "account.weChat",
  telegram: "account.telegram",
};

function useBindingName(type: BindingType): string {
  const t = useT();
  const key = names[type];
  return key === undefined ? providerName(type) : t(key);
}

/** Asks for the present password, before the user goes to a provider to bind an identity there. */
export function ProofDialog(props: {
  /** The name of the provider. */
  readonly name: string;
  /** Begins the binding; rejects if the server does not accept the password. */
  readonly begin: (password: string) => Promise<unknown>;
  readonly onClose: () => void;
  /** Called when the server has accepted the password; absent: `begin` does all. */
  readonly onProven?: () => void;
}) {
  const { name, begin, onClose, onProven = onClose } = props;
  const t = useT();
  const schema = useMemo(() => z.object({ password: passwordSchema(t, true) }), [t]);
  const form = useDialogForm({
    empty: { password: "" },
    schema,
    refusedField: "password",
    send: async ({ password = "" }) => await begin(password),
    onSent: onProven,
  });
  const { typed, faults, change } = form;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t("account.bindOf", { name })}
      description={t("account.bindingProofHow", { name })}
      submitLabel={t("account.bindingProofGo")}
    >
      <PresentPassword
        help={t("account.bindingPasswordHelp")}
        value={typed.password}
        fault={faults.password}
        onChange={(password) => change({ password })}
      />
    </FormDialog>
  );
}

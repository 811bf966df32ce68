import { useQuery } from "@tanstack/react-query";
import type { SecondFactors } from "@tollgate/contract/endpoints/second-factor.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { KeyRound, LifeBuoy, ShieldCheck, Smartphone } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { AnchoredCard } from "#ui/layout/AnchoredCard.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { PasskeyAddDialog } from "./PasskeyAddDialog.tsx";
import { PasskeyList } from "./PasskeyList.tsx";
import {
  secondFactorsQuery,
  useDisableTotp,
  useRenewRecoveryCodes,
  useSetUpTotp,
} from "./second-factor.api.ts";
import { SecondFactorCodes } from "./SecondFactorCodes.tsx";
import { type NewSecret, SecondFactorSetUp } from "./SecondFactorSetUp.tsx";

/** With this many recovery codes left, or fewer, a banner advises the user to make new ones. */
const codesFew = 3;

/**
 * The part of the account screen about second factors: authenticator app, passkeys and recovery
 * codes.
 */
export function SecurityScreen() {
  const t = useT();
  const factors = useQuery(secondFactorsQuery);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const { data } = factors;
  return (
    <AnchoredCard
      anchor="security"
      title={t("account.security")}
      help={t("security.help")}
      actions={
        data !== undefined && (
          <Badge
            tone={data.enabled ? "success" : "neutral"}
            icon={data.enabled && <ShieldCheck size={12} aria-hidden />}
          >
            {data.enabled ? t("security.on") : t("security.off")}
          </Badge>
        )
      }
    >
      {data === undefined ? (
        factors.error === null ? (
          <Skeleton height={140} />
        ) : (
          <ErrorState error={factors.error} onRetry={() => void factors.refetch()} />
        )
      ) : (
        <div className="flex min-w-0 flex-col gap-4">
          <Advice factors={data} />
          <ul aria-label={t("security.title")} className="-my-3 flex flex-col divide-y">
            <AppRow factors={data} onCodes={setCodes} />
            <PasskeysRow factors={data} onCodes={setCodes} />
            {data.enabled && <CodesRow left={data.recovery_codes_left} onCodes={setCodes} />}
          </ul>
        </div>
      )}
      {codes.length > 0 && <SecondFactorCodes codes={codes} onKept={() => setCodes([])} />}
    </AnchoredCard>
  );
}

/** A banner with what the user should do about second factors; nothing if all is well. */
function Advice({ factors }: { readonly factors: SecondFactors }) {
  const t = useT();
  const isRoot = useSession()?.role === role.enum.root;
  if (factors.enabled && factors.recovery_codes_left <= codesFew) {
    const count = factors.recovery_codes_left;
    return (
      <Banner tone="warning" title={t("security.codesFew", { count })}>
        {t("security.codesFewHelp")}
      </Banner>
    );
  }
  if (factors.enabled || !isRoot) return null;
  return (
    <Banner tone="info" title={t("security.rootNeeds")}>
      {t("security.rootNeedsHelp")}
    </Banner>
  );
}

/** One kind of second factor in the list: name, state and actions. */
function Row(props: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly state?: ReactNode;
  readonly help: ReactNode;
  readonly actions: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <li className="flex min-w-0 flex-col gap-3 py-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <Muted>{props.icon}</Muted>
        <div className="flex min-w-0 flex-1 basis-56 flex-col gap-0.5">
          <span className="flex flex-wrap items-center gap-2 font-medium">
            {props.title}
            {props.state}
          </span>
          <span className="text-sm">
            <Muted>{props.help}</Muted>
          </span>
        </div>
        <div className="flex flex-wrap items-center gap-2">{props.actions}</div>
      </div>
      {props.children}
    </li>
  );
}

type RowProps = {
  readonly factors: SecondFactors;
  /** Called with new recovery codes, so that they are shown; the server never shows them again. */
  readonly onCodes: (codes: readonly string[]) => void;
};

function AppRow({ factors, onCodes }: RowProps) {
  const t = useT();
  const confirm = useConfirm();
  const [opened, setOpened] = useState<{ readonly made: NewSecret | null } | null>(null);
  const { mutateAsync: setUp, isPending: isBeginning } = useSetUpTotp();
  const { mutateAsync: disable, isPending } = useDisableTotp();

  async function begin() {
    if (!factors.enabled && factors.asks_password) {
      setOpened({ made: null });
      return;
    }
    try {
      setOpened({ made: await setUp("") });
    } catch (error) {
      toastError(error);
    }
  }

  async function switchOff() {
    const isLast = factors.passkeys.length === 0;
    const agreed = await confirm({
      title: t("security.appOffTitle"),
      body: isLast ? t("security.offLast") : t("security.appOffBody"),
      confirmLabel: t("security.switchOff"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      await disable(undefined);
      toast({ tone: "success", title: t("security.appIsOff") });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Row
      icon={<Smartphone size={20} aria-hidden />}
      title={t("security.app")}
      state={factors.totp && <Badge tone="success">{t("security.on")}</Badge>}
      help={t("security.appHelp")}
      actions={
        factors.totp ? (
          <Button
            size="sm"
            aria-label={t("security.appSwitchOff")}
            loading={isPending}
            onClick={() => void switchOff()}
          >
            {t("security.switchOff")}
          </Button>
        ) : (
          <Button
            size="sm"
            aria-label={t("security.appSetUp")}
            loading={isBeginning}
            onClick={() => void begin()}
          >
            {t("security.setUp")}
          </Button>
        )
      }
    >
      {opened !== null && (
        <SecondFactorSetUp
          made={opened.made}
          onClose={() => setOpened(null)}
          onDone={(codes) => {
            setOpened(null);
            toast({ tone: "success", title: t("security.appIsOn") });
            onCodes(codes);
          }}
        />
      )}
    </Row>
  );
}

function PasskeysRow({ factors, onCodes }: RowProps) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const hasBrowser = "PublicKeyCredential" in window;
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  const help = !factors.passkeys_available
    ? isRoot
      ? t("security.passkeysNoAddressRoot")
      : t("security.passkeysNoAddress")
    : hasBrowser
      ? t("security.passkeysHelp")
      : t("security.passkeysNoBrowser");
  return (
    <Row
      icon={<KeyRound size={20} aria-hidden />}
      title={t("security.passkeys")}
      help={help}
      actions={
        <Button
          size="sm"
          aria-label={t("security.passkeyAddTitle")}
          disabled={!factors.passkeys_available || !hasBrowser}
          onClick={() => setOpen(true)}
        >
          {t("security.add")}
        </Button>
      }
    >
      {factors.passkeys.length > 0 && (
        <PasskeyList passkeys={factors.passkeys} hasApp={factors.totp} />
      )}
      {isOpen && (
        <PasskeyAddDialog
          asksPassword={!factors.enabled && factors.asks_password}
          onClose={() => setOpen(false)}
          onDone={(codes) => {
            setOpen(false);
            toast({ tone: "success", title: t("security.passkeyAdded") });
            onCodes(codes);
          }}
        />
      )}
    </Row>
  );
}

function CodesRow(props: { readonly left: number; readonly onCodes: RowProps["onCodes"] }) {
  const { left, onCodes } = props;
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: renew, isPending } = useRenewRecoveryCodes();

  async function make() {
    const agreed = await confirm({
      title: t("security.codesRenewTitle"),
      body: t("security.codesRenewBody"),
      confirmLabel: t("security.codesRenew"),
    });
    if (!agreed) return;
    try {
      onCodes(await renew(undefined));
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Row
      icon={<LifeBuoy size={20} aria-hidden />}
      title={t("security.codes")}
      state={
        <Badge tone={left <= codesFew ? "warning" : "neutral"}>
          {t("security.codesLeft", { count: left })}
        </Badge>
      }
      help={t("security.codesHelp")}
      actions={
        <Button size="sm" loading={isPending} onClick={() => void make()}>
          {t("security.codesRenew")}
        </Button>
      }
    />
  );
}

import { useQuery } from "@tanstack/react-query";
import { Monitor, Smartphone, SquareTerminal } from "lucide-react";
import type { Session } from "@tollgate/contract/endpoints/sessions.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { TipArea } from "#ui/table/cells/TipArea.tsx";
import { Part } from "./Part.tsx";
import { sessionsQuery, useEndOtherSessions, useEndSession } from "./account.api.ts";
import { type Device, readUserAgent } from "#widgets/people/user-agent.ts";

/** Number of sessions that are shown before the user asks for all. */
const sessionsFolded = 5;

/** The user's sessions, each with a button to end it. */
export function SessionsPart() {
  const t = useT();
  const sessions = useQuery(sessionsQuery);
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  return (
    <Part
      name="sessions"
      help={t("account.sessionsHelp")}
      actions={others.length > 0 && <EndOthers count={others.length} />}
    >
      {sessions.data === undefined ? (
        sessions.error === null ? (
          <Skeleton height={96} />
        ) : (
          <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
        )
      ) : (
        <Sessions sessions={inOrder(sessions.data)} />
      )}
    </Part>
  );
}

/** Sorts the session of this browser first; the others stay in the server's order. */
function inOrder(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
}

function EndOthers({ count }: { readonly count: number }) {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: endOthers, isPending } = useEndOtherSessions();

  async function end() {
    const agreed = await confirm({
      title: t("account.sessionsEndOthersTitle", { count }),
      body: t("account.sessionsEndOthersBody"),
      confirmLabel: t("account.sessionsEndOthers"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      const ended = await endOthers();
      toast({ tone: "success", title: t("account.sessionsEnded", { count: ended }) });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Button size="sm" loading={isPending} onClick={() => void end()}>
      {t("account.sessionsEndOthers")}
    </Button>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly Session[] }) {
  const t = useT();
  const [isUnfolded, setUnfolded] = useState(false);
  const shown = isUnfolded ? sessions : sessions.slice(0, sessionsFolded);
  const hidden = sessions.length - shown.length;
  return (
    <TipArea>
      <ul aria-label={t("account.sessions")} className="-my-3 flex flex-col divide-y">
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
        {hidden > 0 && (
          <li className="py-3">
            <Button size="sm" variant="ghost" onClick={() => setUnfolded(true)}>
              {t("account.sessionsMore", { count: hidden })}
            </Button>
          </li>
        )}
      </ul>
    </TipArea>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const t = useT();
  const { mutate: end } = useEndSession();
  const device = readUserAgent(session.user_agent);
  const name =
    [device.browser, device.system].filter((word) => word !== "").join(" · ") ||
    t("account.sessionUnknown");
  return (
    <li className="flex min-w-0 items-center gap-3 py-3">
      <Muted>
        <DeviceIcon device={device} />
      </Muted>
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 truncate font-medium" title={session.user_agent}>
            {name}
          </span>
          {session.current && <Badge tone="success">{t("account.sessionCurrent")}</Badge>}
        </div>
        <div className="mt-0.5 flex min-w-0 flex-wrap gap-x-3 text-xs tabular-nums">
          <Muted>
            <span className="wrap-anywhere">{session.client_ip}</span>
          </Muted>
          {!session.current && (
            <Muted>
              {t("account.sessionSeen")} <TimeCell seconds={session.seen_at} />
            </Muted>
          )}
          <Muted>
            {t("account.sessionSince")} <TimeCell seconds={session.created_at} />
          </Muted>
        </div>
      </div>
      {!session.current && (
        <Button
          size="sm"
          aria-label={t("account.sessionEndOf", { name })}
          onClick={() =>
            end(session.id, {
              onSuccess: () => toast({ tone: "success", title: t("account.sessionEnded") }),
              onError: toastError,
            })
          }
        >
          {t("account.sessionEnd")}
        </Button>
      )}
    </li>
  );
}

function DeviceIcon({ device }: { readonly device: Device }) {
  if (device.isMobile) return <Smartphone size={20} aria-hidden />;
  return device.system === "" ? (
    <SquareTerminal size={20} aria-hidden />
  ) : (
    <Monitor size={20} aria-hidden />
  );
}

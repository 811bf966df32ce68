import { role } from "@tollgate/contract/endpoints/users.ts";
import type { ReactNode } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { StepMark } from "#ui/feedback/StepMark.tsx";
import { FrontColumns, FrontRoom } from "#ui/layout/Front.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";

/** What has been done, as far as it is known. */
type Progress = {
  readonly hasModel: boolean;
  readonly hasKey: boolean;
  readonly hasCall: boolean;
};

type Step = {
  readonly title: string;
  readonly body: ReactNode;
  readonly isDone: boolean;
  readonly link: ReactNode;
};

/** Three steps to the first call; for signed-in users they tick themselves off. */
export function FirstSteps({ origin, progress }: { origin: string; progress: Progress }) {
  const t = useT();
  const session = useSession();
  const mayRegister = useStatus()?.register_enabled === true;
  const isAdmin = session !== null && session.role >= role.enum.admin;
  const first = isAdmin ? connectStep(progress, t) : accountStep(session !== null, mayRegister, t);
  const steps: Step[] = [
    first,
    {
      title: t("home.stepKey"),
      body: t("home.stepKeyBody"),
      isDone: progress.hasKey,
      link: session !== null && <Link to="/token">{t("home.stepKeyLink")}</Link>,
    },
    {
      title: t("home.stepCall"),
      body: (
        <>
          {t("home.stepCallBody")}
          <span className="mt-1.5 flex items-center gap-1">
            <code className="min-w-0 font-mono text-sm break-all">{`${origin}/v1`}</code>
            <CopyButton text={`${origin}/v1`} label={t("home.copyBaseUrl")} iconOnly />
          </span>
        </>
      ),
      isDone: progress.hasCall,
      link:
        session === null ? (
          <Link to="/query">{t("signIn.toKeyQuery")}</Link>
        ) : (
          <Link to="/log">{t("home.stepCallLink")}</Link>
        ),
    },
  ];
  return (
    <FrontRoom labelledBy="steps">
      <h2 id="steps" className="text-xl font-semibold">
        {t("home.steps")}
      </h2>
      <FrontColumns as="ol">
        {steps.map(({ title, body, isDone, link }, index) => (
          <li key={title} className="flex gap-3 border-t pt-3">
            <StepMark number={index + 1} isDone={isDone} doneLabel={t("home.stepDone")} />
            <div className="flex min-w-0 flex-col gap-1">
              <h3 className="text-lg font-medium">{title}</h3>
              <div>
                <Muted>{body}</Muted>
              </div>
              {link !== false && <p>{link}</p>}
            </div>
          </li>
        ))}
      </FrontColumns>
    </FrontRoom>
  );
}

function connectStep({ hasModel }: Progress, t: T): Step {
  return {
    title: t("home.stepChannel"),
    body: t("home.stepChannelBody"),
    isDone: hasModel,
    link: <Link to="/channel">{t("home.stepChannelLink")}</Link>,
  };
}

function accountStep(isSignedIn: boolean, mayRegister: boolean, t: T): Step {
  return {
    title: mayRegister ? t("home.stepRegister") : t("home.stepSignIn"),
    body: mayRegister ? t("home.stepRegisterBody") : t("home.stepSignInBody"),
    isDone: isSignedIn,
    link: !isSignedIn && (
      <Link to={mayRegister ? "/register" : "/login"}>
        {mayRegister ? t("home.stepRegisterLink") : t("home.signIn")}
      </Link>
    ),
  };
}

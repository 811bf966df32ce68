import { KeyRound, Plug, Terminal } from "lucide-react";
import type { ReactNode } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { useFirstModel } from "./home.api.ts";
import { useSelfUse, useSession, useStatus } from "#widgets/server/use-status.ts";

/**
 * The home page of the product: what it is, its base URL, and how to begin. Shown without waiting
 * for the server's status.
 */
export function DefaultHome() {
  const t = useT();
  const selfUse = useSelfUse();
  const session = useSession();
  const model = useFirstModel(session !== null);
  const status = useStatus();
  const name = status?.system_name || "Tollgate";
  const origin = (status?.server_address || location.origin).replace(/\/+$/, "");
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 pt-14 pb-12 max-md:pt-8">
      <header className="flex flex-col items-start gap-4">
        <h1 className="text-3xl font-semibold">{name}</h1>
        <p className="text-lg">
          <Muted>{t("home.intro")}</Muted>
        </p>
        <div className="flex flex-wrap gap-2">
          <LinkButton to={session === null ? "/login" : "/token"} variant="primary">
            {session === null ? t("home.signIn") : t("home.console")}
          </LinkButton>
          {!selfUse && <LinkButton to="/pricing">{t("home.pricing")}</LinkButton>}
          {status !== undefined && status.docs_link !== "" && (
            <LinkButton href={status.docs_link}>{t("home.docs")}</LinkButton>
          )}
        </div>
      </header>
      {status?.setup === false && <HowToSetUp />}
      <section className="flex flex-col gap-3">
        <h2 className="text-lg font-semibold">{t("home.baseUrl")}</h2>
        <div className="flex flex-wrap items-center gap-3">
          <code className="font-mono text-lg wrap-anywhere">{`${origin}/v1`}</code>
          <CopyButton text={`${origin}/v1`} label={t("home.copyBaseUrl")} />
        </div>
        <p>
          <Muted>{t("home.baseUrlBody")}</Muted>
        </p>
      </section>
      <section className="flex flex-col gap-3">
        <h2 className="text-lg font-semibold">{t("home.steps")}</h2>
        <ol className="flex flex-col gap-3">
          {stepsOf(t).map(({ icon, title, body }) => (
            <li key={title} className="flex gap-3">
              <span className="mt-0.5 shrink-0">{icon}</span>
              <div className="min-w-0">
                <div className="font-medium">{title}</div>
                <Muted>{body}</Muted>
              </div>
            </li>
          ))}
        </ol>
        <CodeBlock language="bash" code={curlOf(origin, model ?? t("home.modelName"))} />
      </section>
    </div>
  );
}

function HowToSetUp() {
  const t = useT();
  return (
    <Banner tone="warning" title={t("home.notSetUp")}>
      <p>{t("home.notSetUpBody")}</p>
      <p>{t("home.notSetUpDemo")}</p>
      <p>
        <Link to="/setup">{t("home.notSetUpPaste")}</Link>
      </p>
    </Banner>
  );
}

function stepsOf(t: T): { icon: ReactNode; title: string; body: ReactNode }[] {
  return [
    {
      icon: <Plug size={18} aria-hidden />,
      title: t("home.stepChannel"),
      body: t("home.stepChannelBody"),
    },
    {
      icon: <KeyRound size={18} aria-hidden />,
      title: t("home.stepToken"),
      body: t("home.stepTokenBody"),
    },
    {
      icon: <Terminal size={18} aria-hidden />,
      title: t("home.stepCall"),
      body: t("home.stepCallBody"),
    },
  ];
}

/**
 * Writes the command of an example call.
 * @param model a model that the user can call; visitors get a placeholder to replace.
 */
function curlOf(origin: string, model: string): string {
  const body = { model, messages: [{ role: "user", content: "hi" }] };
  return [
    `curl ${origin}/v1/chat/completions \\`,
    `  -H 'authorization: Bearer sk-…' -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join("\n");
}

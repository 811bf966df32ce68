import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { TextOutline } from "#ui/feedback/outlines.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { SplitPage } from "#ui/layout/SplitPage.tsx";
import { GatePicture } from "#ui/picture/GatePicture.tsx";
import { OperatorPage } from "#widgets/content/OperatorPage.tsx";
import { readOperatorText } from "#widgets/content/operator-text.ts";
import { SystemMark, useSystemName } from "#widgets/server/SystemMark.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { useAbout } from "./about.api.ts";

/** Height of the content, as a CSS value: the window without the top bar. */
const frameHeight = "calc(100dvh - 3rem)";

/** `/about`: the text that root wrote; without one, a description of this software. */
export function AboutScreen() {
  const t = useT();
  const { data, error, refetch } = useAbout();
  if (data === undefined) {
    return (
      <Page narrow>
        {error === null ? (
          <TextOutline />
        ) : (
          <>
            <PageHeader title={t("about.title")} />
            <ErrorState error={error} onRetry={() => void refetch()} />
          </>
        )}
      </Page>
    );
  }
  const content = readOperatorText(data);
  if (content.kind === "none") return <Nothing />;
  return (
    <>
      <h1 className="sr-only">{t("about.title")}</h1>
      <OperatorPage content={content} title={t("about.title")} height={frameHeight} />
    </>
  );
}

/** Describes this software; shown if root has written no text. */
function Nothing() {
  const t = useT();
  const status = useStatus();
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  return (
    <SplitPage
      picture={<GatePicture />}
      lowPicture={<GatePicture cut />}
      mark={<SystemMark size={40} />}
      name={useSystemName()}
      title={t("about.title")}
      description={t("about.intro")}
    >
      <DescriptionList
        items={[
          { label: t("about.software"), value: "Tollgate" },
          ...(status === undefined
            ? []
            : [{ label: t("about.version"), value: versionOf(status) }]),
          { label: t("about.licence"), value: "Apache License 2.0" },
        ]}
      />
      {isRoot && <Muted>{t("about.empty")}</Muted>}
      <div className="flex flex-wrap gap-2">
        {isRoot ? (
          <LinkButton to="/setting" search={{ tab: "other" }} variant="primary">
            {t("about.write")}
          </LinkButton>
        ) : (
          <LinkButton to="/" variant="primary">
            {t("app.home")}
          </LinkButton>
        )}
      </div>
    </SplitPage>
  );
}

/** Returns the version, with the commit it was built from where that is known. */
function versionOf({ version, commit }: Status): string {
  return commit === "" ? version : `${version}, ${commit}`;
}

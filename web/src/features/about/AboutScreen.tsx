import { role } from "@tollgate/contract/users.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { OperatorPage } from "#widgets/content/OperatorPage.tsx";
import { readOperatorText } from "#widgets/content/operator-text.ts";
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
        <PageHeader title={t("about.title")} />
        {error === null ? (
          <Skeleton height={200} />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
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
    <Page narrow>
      <PageHeader
        title={t("about.title")}
        description={t("about.intro")}
        actions={
          isRoot ? (
            <LinkButton to="/setting" search={{ tab: "other" }}>
              {t("about.write")}
            </LinkButton>
          ) : null
        }
      />
      <DescriptionList
        items={[
          { label: t("about.software"), value: "Tollgate" },
          ...(status === undefined ? [] : [{ label: t("about.version"), value: status.version }]),
          { label: t("about.licence"), value: "Apache License 2.0" },
        ]}
      />
      {isRoot && <Muted>{t("about.empty")}</Muted>}
    </Page>
  );
}

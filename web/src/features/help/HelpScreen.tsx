import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { AnchoredCard } from "#ui/layout/AnchoredCard.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { helpTerms, helpTexts } from "#widgets/help/terms.ts";

/**
 * `/help`, for everybody: explains the terms of billing and routing. An anchor such as `#priority`
 * leads to one of them.
 */
export function HelpScreen() {
  const t = useT();
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    document.getElementById(hash)?.scrollIntoView({ block: "start" });
  }, [hash]);
  return (
    <Page narrow>
      <PageHeader title={t("help.title")} description={t("help.intro")} />
      <nav aria-label={t("help.title")} className="flex flex-wrap gap-2">
        {helpTerms.map((term) => (
          <LinkButton key={term} href={`#${term}`} size="sm">
            {t(helpTexts[term][0])}
          </LinkButton>
        ))}
      </nav>
      {helpTerms.map((term) => {
        const [title, short, more] = helpTexts[term];
        return (
          <AnchoredCard key={term} anchor={term} title={t(title)}>
            <p className="font-medium">{t(short)}</p>
            <p className="mt-2">{t(more)}</p>
          </AnchoredCard>
        );
      })}
    </Page>
  );
}

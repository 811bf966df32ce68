import { readApiDocument } from "@tollgate/contract/endpoints/api-document.ts";
import { lazy, Suspense } from "react";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { TextOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { useApiDocument } from "./api-document.api.ts";

const ApiViewer = lazy(async () => ({
  default: (await import("#ui/api-viewer/ApiViewer.tsx")).ApiViewer,
}));

/** `/apiDocument`: the console API for people who write programs, from its OpenAPI document. */
export function ApiDocumentScreen() {
  const t = useT();
  const { data, error, refetch } = useApiDocument();
  return (
    <Page>
      <PageHeader
        title={t("apiDocument.title")}
        description={t("apiDocument.intro", { path: readApiDocument.path })}
        actions={<LinkButton to="/reference">{t("apiDocument.callers")}</LinkButton>}
      />
      {data !== undefined && (
        <Suspense fallback={<TextOutline />}>
          <ApiViewer document={data} />
        </Suspense>
      )}
      {data === undefined && error === null && <TextOutline />}
      {data === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

import { useT } from "#i18n/t.ts";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";

/** Shown while the code of a screen is loaded. */
export function ScreenSkeleton() {
  const t = useT();
  return (
    <Page>
      <div role="status" aria-label={t("app.loading")} className="flex flex-col gap-3">
        <Skeleton width="12rem" height={24} />
        <Skeleton width="20rem" />
        <Skeleton height={200} />
      </div>
    </Page>
  );
}

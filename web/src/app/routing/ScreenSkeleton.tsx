import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { ListOutline, SettingsOutline, TextOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import type { Screen } from "#app/screen.ts";
import { useScreen } from "./use-screen.ts";

const outlines: Readonly<Record<NonNullable<Screen["outline"]>, ReactNode>> = {
  list: <ListOutline />,
  settings: <SettingsOutline />,
};

/** Shown while the code of a screen is loaded: the shape of that screen. */
export function ScreenSkeleton() {
  const t = useT();
  const outline = useScreen()?.outline;
  return (
    <Page>
      <div role="status" aria-label={t("app.loading")}>
        {outline === undefined ? <TextOutline /> : outlines[outline]}
      </div>
    </Page>
  );
}

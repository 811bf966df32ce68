import { type TextKey, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { StatePage } from "#ui/layout/StatePage.tsx";
import type { Screen } from "#app/screen.ts";

const needed = {
  user: "app.needsUser",
  admin: "app.needsAdmin",
  root: "app.needsRoot",
} as const satisfies Record<Exclude<Screen["access"], "public">, TextKey>;

/** Shown to users whose role is too low for the screen. */
export function NoPermission({ access }: { readonly access: keyof typeof needed }) {
  const t = useT();
  return (
    <StatePage
      picture="closed"
      title={t("app.noPermission")}
      description={t(needed[access])}
      action={<LinkButton to="/token">{t("app.backToConsole")}</LinkButton>}
    />
  );
}

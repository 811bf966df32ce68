import { Lock } from "lucide-react";
import { type TextKey, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import type { Screen } from "#app/screens.ts";

const needed = {
  user: "app.needsUser",
  admin: "app.needsAdmin",
  root: "app.needsRoot",
} as const satisfies Record<Exclude<Screen["access"], "public">, TextKey>;

/** Shown to users whose role is too low for the screen. */
export function NoPermission({ access }: { readonly access: keyof typeof needed }) {
  const t = useT();
  return (
    <div className="pt-16">
      <h1 className="sr-only">{t("app.noPermission")}</h1>
      <Empty
        icon={<Lock size={28} aria-hidden />}
        title={t("app.noPermission")}
        description={t(needed[access])}
        action={<LinkButton to="/token">{t("app.backToConsole")}</LinkButton>}
      />
    </div>
  );
}

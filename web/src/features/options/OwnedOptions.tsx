import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { useOwnedOptions } from "./options.api.ts";

/** Says which options a configuration file owns, and which are not as it says; nothing if none. */
export function OwnedOptions() {
  const t = useT();
  const owned = useOwnedOptions();
  const [first] = owned;
  if (first === undefined) return null;
  const drift = owned.flatMap(({ name, drift: fields }) =>
    fields.map(({ wanted, present }) =>
      t("settings.ownedDrift", { name, wanted, present: present ?? "–" }),
    ),
  );
  return (
    <Banner
      tone={drift.length === 0 ? "info" : "warning"}
      title={t("settings.ownedTitle", { source: first.source, count: owned.length })}
    >
      {drift.length === 0 ? owned.map(({ name }) => name).join(", ") : drift.join("; ")}
    </Banner>
  );
}

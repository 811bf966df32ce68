import { clients } from "@tollgate/contract/connect/clients.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";

const kinds = ["agent", "app", "sdk"] as const;

/** The programs, in three groups: buttons beside the blocks, and a field where there is no room. */
export function ClientList(props: { readonly value: string; onChange(id: string): void }) {
  const { value, onChange } = props;
  const t = useT();
  const titles = {
    agent: t("connect.agents"),
    app: t("connect.apps"),
    sdk: t("connect.sdks"),
  };
  const nameOf = (name: string) => name || t("connect.other");
  return (
    <>
      <div className="md:hidden">
        <Select
          aria-label={t("connect.program")}
          items={clients.map(({ id, name }) => ({ value: id, label: nameOf(name) }))}
          value={value}
          onChange={onChange}
        />
      </div>
      <nav
        aria-label={t("connect.program")}
        className="flex w-48 shrink-0 flex-col gap-4 max-md:hidden"
      >
        {kinds.map((kind) => (
          <div key={kind} className="flex flex-col items-start gap-0.5">
            <span className="px-2.5 pb-1 text-xs font-medium">
              <Muted>{titles[kind]}</Muted>
            </span>
            {clients
              .filter((client) => client.kind === kind)
              .map(({ id, name }) => (
                <Button
                  key={id}
                  size="sm"
                  variant={id === value ? "default" : "ghost"}
                  aria-current={id === value ? "true" : undefined}
                  onClick={() => onChange(id)}
                >
                  {nameOf(name)}
                </Button>
              ))}
          </div>
        ))}
      </nav>
    </>
  );
}

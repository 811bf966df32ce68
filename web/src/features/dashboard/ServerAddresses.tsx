import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Rows } from "#ui/chart/Rows.tsx";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useStatus } from "#widgets/server/use-status.ts";

/** The addresses at which programs reach this server, to copy. */
export function ServerAddresses() {
  const t = useT();
  const server = serverUrlOf(useStatus()?.server_address, ownAddress());
  const rows = [
    { name: t("dashboard.addressOpenAi"), address: `${server}/v1` },
    { name: t("dashboard.addressServer"), address: server },
  ];
  return (
    <Card title={<h2>{t("dashboard.addresses")}</h2>} flush>
      <Rows>
        {rows.map(({ name, address }) => (
          <div key={address} className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
            <span className="w-48 shrink-0 max-md:w-full">
              <Muted>{name}</Muted>
            </span>
            <span className="flex min-w-0 flex-1 items-center gap-2">
              <code className="min-w-0 font-mono wrap-anywhere">{address}</code>
              <CopyButton text={address} label={t("dashboard.copyAddress", { address })} iconOnly />
            </span>
          </div>
        ))}
      </Rows>
    </Card>
  );
}

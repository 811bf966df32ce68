/** The links by which others see the figures of a conversation. */

import { useState } from "react";
import { showTime } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { useCreateLink, useLinks, useRemoveLink } from "./conversations.api.ts";

const dayChoices = [1, 7, 30];

export function ShareLinks({ id }: { readonly id: number }) {
  const t = useT();
  const [days, setDays] = useState(7);
  const { data: links = [] } = useLinks(id);
  const create = useCreateLink(id);
  const remove = useRemoveLink(id);
  const made = create.data;
  const isThere = made !== undefined && links.some((link) => link.id === made.id);
  return (
    <Card title={<h2>{t("conversations.links")}</h2>}>
      <div className="flex flex-col gap-3">
        <p className="text-sm">
          <Muted>{t("conversations.linksText")}</Muted>
        </p>
        <div className="flex flex-wrap items-center gap-2">
          <div className="w-40">
            <Select
              aria-label={t("conversations.days")}
              items={dayChoices.map((value) => ({
                value,
                label: t("conversations.forDays", { count: value }),
              }))}
              value={days}
              onChange={setDays}
            />
          </div>
          <Button
            loading={create.isPending}
            onClick={() => create.mutate(days, { onError: toastError })}
          >
            {t("conversations.create")}
          </Button>
        </div>
        {isThere && <MadeLink secret={made.secret} />}
        {links.length > 0 && (
          <ul className="flex flex-col gap-1.5 text-sm" aria-label={t("conversations.links")}>
            {links.map((link) => (
              <li key={link.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="tabular-nums">
                  {t("conversations.until", { time: showTime(link.expires_at, "–") })}
                </span>
                <Button
                  size="sm"
                  variant="danger"
                  loading={remove.isPending && remove.variables === link.id}
                  onClick={() => remove.mutate(link.id, { onError: toastError })}
                >
                  {t("conversations.revoke")}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

/** The address is told once: only a hash of its secret is kept. */
function MadeLink({ secret }: { readonly secret: string }) {
  const t = useT();
  const link = `${ownAddress()}/shared#${secret}`;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex max-w-160 flex-wrap items-center gap-2">
        <div className="min-w-60 flex-1">
          <Input
            aria-label={t("conversations.link")}
            readOnly
            value={link}
            onFocus={(event) => event.target.select()}
          />
        </div>
        <CopyButton text={link} label={t("conversations.copy")} size="md" />
      </div>
      <p className="text-xs">
        <Muted>{t("conversations.once")}</Muted>
      </p>
    </div>
  );
}

import type { ImportView } from "@tollgate/contract/endpoints/imports.ts";
import { type FormEvent, useState } from "react";
import { showQuotaInFull } from "#display/quota.ts";
import { showTime } from "#display/time.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import type { Tone } from "#ui/tone.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { ImportRows } from "./ImportRows.tsx";
import { useOpenUser } from "./imports.api.ts";

/** One import: where from, how far, what came, and who cannot call here yet. */
export function ImportCard({ row }: { readonly row: ImportView }) {
  const t = useT();
  const state = stateOf(row);
  const { progress } = row;
  return (
    <Section
      title={row.name}
      actions={<Badge tone={state.tone}>{t(state.text)}</Badge>}
      description={`${row.kind} · ${row.source}`}
    >
      {progress !== null && (
        <>
          <ImportRows rows={progress.rows} of={row.name} />
          <DescriptionList
            items={[
              {
                label: t("imports.balances"),
                value: <QuotaText quota={progress.sums.balance} inFull />,
              },
              { label: t("imports.debts"), value: <QuotaText quota={progress.sums.debt} inFull /> },
              { label: t("imports.begun"), value: showTime(row.created_at, "") },
              { label: t("imports.finished"), value: showTime(row.finished_at, "–") },
            ]}
            columns={2}
          />
          {progress.check !== null && <Check check={progress.check} />}
        </>
      )}
      {row.moving > 0 && <Opening row={row} />}
    </Section>
  );
}

function stateOf(row: ImportView): { readonly text: TextKey; readonly tone: Tone } {
  if (row.undone_at > 0) return { text: "imports.stateUndone", tone: "neutral" };
  if (row.ended_at > 0) return { text: "imports.stateEnded", tone: "success" };
  if (row.follows) return { text: "imports.stateFollows", tone: "warning" };
  if (row.finished_at > 0) return { text: "imports.stateDone", tone: "success" };
  return { text: "imports.stateRuns", tone: "warning" };
}

type Progress = NonNullable<ImportView["progress"]>;

function Check({ check }: { readonly check: NonNullable<Progress["check"]> }) {
  const t = useT();
  const display = useQuotaDisplay();
  const users = check.users.toLocaleString("en-US");
  const isSame = check.here === check.there;
  return (
    <Banner
      tone={isSame ? "success" : "warning"}
      title={t(isSame ? "imports.checkEqual" : "imports.checkDiffers", {
        users,
        there: showQuotaInFull(check.there, display),
        here: showQuotaInFull(check.here, display),
      })}
    />
  );
}

/** Says who cannot call here yet, and opens one user. */
function Opening({ row }: { readonly row: ImportView }) {
  const t = useT();
  const [user, setUser] = useState("");
  const { mutate, isPending } = useOpenUser();
  function open(event: FormEvent): void {
    event.preventDefault();
    mutate(
      { id: row.id, user },
      {
        onSuccess: ({ username }) => {
          setUser("");
          toast({ title: t("imports.opened", { name: username }), tone: "success" });
        },
        onError: toastError,
      },
    );
  }
  return (
    <form className="flex flex-col gap-2" onSubmit={open}>
      <p className="text-sm">
        {t("imports.moving", { users: row.moving.toLocaleString("en-US") })}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <span className="w-64 max-w-full">
          <Input
            value={user}
            onChange={(event) => setUser(event.target.value)}
            aria-label={t("imports.user")}
            placeholder={t("imports.user")}
          />
        </span>
        <Button type="submit" loading={isPending} disabled={user.trim() === ""}>
          {t("imports.open")}
        </Button>
      </div>
    </form>
  );
}

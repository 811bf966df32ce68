import type { DraftLine, PriceDraft } from "@tollgate/contract/endpoints/price-sources.ts";
import { useState } from "react";
import { showTime } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { toastError, toastSaved } from "#ui/overlays/toast.ts";
import { TryPricesHere } from "#widgets/price-preview/TryPrices.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { DraftModels } from "./DraftModels.tsx";
import { useDecide, useDraft, useDraftPrices } from "./price-sources.api.ts";

/** A sheet that reviews a draft: what would change, and why a line waits, each to be decided on. */
export function DraftSheet({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const t = useT();
  const { data, error, refetch } = useDraft(id);
  if (data !== undefined) return <Review draft={data} onClose={onClose} />;
  return (
    <Sheet open width="lg" title={t("priceSources.draft")} onClose={onClose}>
      {error === null ? <Skeleton /> : <ErrorState error={error} onRetry={() => void refetch()} />}
    </Sheet>
  );
}

function Review({ draft, onClose }: { readonly draft: PriceDraft; readonly onClose: () => void }) {
  const t = useT();
  const { mutateAsync: decide, isPending } = useDecide();
  const open = draft.lines.filter(({ state }) => state === "open");
  const [left, setLeft] = useState<ReadonlySet<number>>(() => new Set(waitingIn(open)));
  // What was not taken off the choice is chosen: lines that wait begin without it.
  const picked = open.filter(({ line }) => !left.has(line)).map(({ line }) => line);
  const canDecide = draft.state === "open" && open.length > 0;

  const send = async (choice: "accept" | "refuse") => {
    try {
      const decided = await decide({ id: draft.id, [choice]: picked });
      const count = choice === "accept" ? decided.accepted - draft.accepted : picked.length;
      toastSaved(
        choice === "accept"
          ? t("priceSources.accepted", { count })
          : t("priceSources.refused", { count }),
      );
      setLeft(new Set(decided.lines.map(({ line }) => line)));
      if (decided.waiting === 0) onClose();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Sheet
      open
      width="lg"
      title={t("priceSources.draftOf", { name: draft.source_name })}
      description={t("priceSources.draftFacts", {
        time: showTime(draft.created_at, "–"),
        compared: draft.compared,
      })}
      onClose={onClose}
      footer={
        canDecide ? (
          <div className="flex w-full flex-wrap items-center justify-end gap-2">
            <Button
              disabled={picked.length === 0}
              loading={isPending}
              onClick={() => void send("refuse")}
            >
              {t("priceSources.refuse", { count: picked.length })}
            </Button>
            <Button
              variant="primary"
              disabled={picked.length === 0}
              loading={isPending}
              onClick={() => void send("accept")}
            >
              {t("priceSources.accept", { count: picked.length })}
            </Button>
          </div>
        ) : (
          <Button onClick={onClose}>{t("priceSources.close")}</Button>
        )
      }
    >
      <div className="flex min-w-0 flex-col gap-4">
        <Notes draft={draft} />
        {canDecide && (
          <Checkbox
            checked={picked.length === open.length ? true : picked.length === 0 ? false : "mixed"}
            label={t("priceSources.all", { count: open.length })}
            onChange={(all) => setLeft(new Set(all ? [] : open.map(({ line }) => line)))}
          />
        )}
        <DraftModels
          lines={draft.lines}
          picked={canDecide ? new Set(picked) : null}
          onPick={(line, isPicked) => {
            const next = new Set(left);
            if (isPicked) next.delete(line);
            else next.add(line);
            setLeft(next);
          }}
        />
        {canDecide && picked.length > 0 && <Tried id={draft.id} picked={picked} />}
      </div>
    </Sheet>
  );
}

function waitingIn(open: readonly DraftLine[]): number[] {
  return open.filter(({ waits }) => waits.length > 0).map(({ line }) => line);
}

/** How many refused lines of the list are shown. */
const faultsShown = 8;

function Notes({ draft }: { readonly draft: PriceDraft }) {
  const { compared, state, lines, more, faults, fault_lines } = draft;
  const t = useT();
  return (
    <>
      {state === "replaced" && <Banner tone="warning" title={t("priceSources.replaced")} />}
      {lines.length === 0 && (
        <p className="text-sm" role="status">
          {t(compared === 0 ? "priceSources.noneHere" : "priceSources.same")}
        </p>
      )}
      {more > 0 && <Banner title={t("priceSources.more", { count: more })} />}
      {faults > 0 && (
        <Banner tone="warning" title={t("priceSources.faults", { count: faults })}>
          <ul className="mt-1">
            {fault_lines.slice(0, faultsShown).map(({ place, message }, at) => (
              // The same line may be refused for two reasons.
              <li key={`${at} ${place}`} className="wrap-anywhere">
                {place}: {showMessage(message, t)}
              </li>
            ))}
            {faults > faultsShown && (
              <li>
                <Muted>{t("priceSources.faultsRest", { count: faults - faultsShown })}</Muted>
              </li>
            )}
          </ul>
        </Banner>
      )}
    </>
  );
}

/** What the chosen lines would have done with past calls. */
function Tried({ id, picked }: { readonly id: number; readonly picked: readonly number[] }) {
  const t = useT();
  const { data } = useDraftPrices(id, picked);
  if (data === undefined) return null;
  return (
    <>
      {data.refused.length > 0 && (
        <Banner tone="warning" title={t("priceSources.cannot", { count: data.refused.length })}>
          {showMessage(data.refused[0]?.message ?? "", t)}
        </Banner>
      )}
      {data.books.length > 0 && <TryPricesHere tried={{ books: data.books }} />}
    </>
  );
}

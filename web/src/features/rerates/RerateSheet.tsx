import type { Rerate, RerateUser } from "@tollgate/contract/endpoints/rerates.ts";
import { showTime } from "#display/time.ts";
import { type T, useT } from "#i18n/t.ts";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { Change } from "./rerates.columns.tsx";
import { useRerate, useStopRerate } from "./rerates.api.ts";

/** A sheet with how far a re-rate is, and what it has changed. */
export function RerateSheet(props: {
  readonly id: number;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}) {
  const { id } = props;
  const t = useT();
  const { data, error, refetch } = useRerate(id);
  const { mutate: stop, isPending } = useStopRerate();
  return (
    <Sheet
      open
      width="lg"
      title={t("rerates.one", { id })}
      onClose={props.onClose}
      footer={
        <div className="flex w-full flex-wrap items-center justify-end gap-2">
          {data?.rerate.state === "charging" && data.rerate.undoes === 0 && (
            <Button loading={isPending} onClick={() => stop(id)}>
              {t("rerates.stop")}
            </Button>
          )}
          {data?.rerate.may_undo === true && (
            <Button onClick={props.onUndo}>{t("rerates.undo")}</Button>
          )}
          <Button variant="primary" onClick={props.onClose}>
            {t("rerates.close")}
          </Button>
        </div>
      }
    >
      {data !== undefined ? (
        <Result rerate={data.rerate} users={data.users} count={data.user_count} />
      ) : error === null ? (
        <Skeleton />
      ) : (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
    </Sheet>
  );
}

function Result(props: {
  readonly rerate: Rerate;
  readonly users: readonly RerateUser[];
  readonly count: number;
}) {
  const { rerate, users, count } = props;
  const t = useT();
  const rest = count - users.length;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-col gap-2" aria-live="polite">
        <ProgressBar
          value={rerate.done}
          max={Math.max(rerate.calls, 1)}
          label={t("rerates.progress")}
        />
        <Muted>
          {t("rerates.doneOf", {
            done: rerate.done.toLocaleString("en-US"),
            calls: rerate.calls.toLocaleString("en-US"),
          })}
        </Muted>
      </div>
      <DescriptionList items={factsOf(rerate, t)} />
      {users.length > 0 && (
        <PlainTable
          label={t("rerates.users")}
          columns={[
            { key: "name", title: t("rerates.user") },
            { key: "changed", title: t("rerates.changed") },
            { key: "change", title: t("rerates.change") },
            { key: "skipped", title: t("rerates.skipped") },
            { key: "owed", title: t("rerates.owed") },
          ]}
          rows={users.map((user) => ({
            name: user.name || `#${user.user_id}`,
            cells: [
              user.changed.toLocaleString("en-US"),
              <Change key="change" amount={user.raised - user.lowered} />,
              <Change key="skipped" amount={user.skipped} />,
              <QuotaText key="owed" quota={user.owed} inFull />,
            ],
          }))}
        />
      )}
      {rest > 0 && <Muted>{t("rerates.rest", { count: rest })}</Muted>}
    </div>
  );
}

function factsOf(rerate: Rerate, t: T) {
  const { undoes, version, start, end, expected, raised, lowered } = rerate;
  const facts = [
    {
      label: t("rerates.what"),
      value:
        undoes === 0 ? t("rerates.byVersion", { version }) : t("rerates.undoes", { id: undoes }),
    },
    { label: t("rerates.span"), value: `${showTime(start, "–")} – ${showTime(end, "–")}` },
    { label: t("rerates.expected"), value: <Change amount={expected} /> },
    { label: t("rerates.change"), value: <Change amount={raised - lowered} /> },
    { label: t("rerates.raised"), value: <QuotaText quota={raised} inFull /> },
    { label: t("rerates.lowered"), value: <QuotaText quota={lowered} inFull /> },
  ];
  if (rerate.owed > 0) {
    facts.push({ label: t("rerates.owed"), value: <QuotaText quota={rerate.owed} inFull /> });
  }
  if (rerate.skipped_calls > 0) {
    facts.push({
      label: t("rerates.skipped"),
      value: <Some calls={rerate.skipped_calls} amount={rerate.skipped} />,
    });
  }
  if (rerate.gone_calls > 0) {
    facts.push({
      label: t("rerates.gone"),
      value: <Some calls={rerate.gone_calls} amount={rerate.gone} />,
    });
  }
  return [
    ...facts,
    { label: t("rerates.reason"), value: rerate.reason },
    ...(rerate.notice === "" ? [] : [{ label: t("rerates.notice"), value: rerate.notice }]),
  ];
}

function Some({ calls, amount }: { readonly calls: number; readonly amount: number }) {
  const t = useT();
  return (
    <span>
      {t("rerates.someCalls", { count: calls })} <Change amount={amount} />
    </span>
  );
}

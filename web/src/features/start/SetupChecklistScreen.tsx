import { useQuery } from "@tanstack/react-query";
import type { SetupChecklist, SetupStep } from "@tollgate/contract/endpoints/checklist.ts";
import { setupSteps } from "@tollgate/contract/endpoints/checklist.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { StepList } from "#ui/layout/StepList.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { setupChecklistQuery } from "#widgets/start/checklists.ts";
import { useMarkSetup } from "./start.api.ts";
import { SetupStepRow } from "./SetupStepRow.tsx";

/** Milliseconds after which the state is read again: root works on the steps in other tabs, too. */
const refreshMs = 10_000;

const parts: readonly { readonly title: TextKey; readonly steps: readonly SetupStep[] }[] = [
  { title: "start.partFirst", steps: ["provider", "prices", "token", "call"] },
  { title: "start.partOthers", steps: ["users", "address", "mail"] },
  { title: "start.partSafe", steps: ["second_factor", "backup"] },
];

/** Root's start page: what is left between an installed gateway and one that earns. */
export function SetupChecklistScreen() {
  const t = useT();
  const { data, error, refetch } = useQuery({
    ...setupChecklistQuery,
    staleTime: 0,
    refetchInterval: refreshMs,
  });
  return (
    <Page narrow>
      {data === undefined ? (
        <>
          <PageHeader title={t("start.setupTitle")} />
          {error === null ? (
            <Skeleton height={480} />
          ) : (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )}
        </>
      ) : (
        <Checklist list={data} />
      )}
    </Page>
  );
}

function Checklist({ list }: { readonly list: SetupChecklist }) {
  const t = useT();
  const { mutate, isPending } = useMarkSetup();
  const [done, total] = [list.done.length, setupSteps.length];
  const isDone = (step: SetupStep): boolean => list.done.includes(step);
  const next = setupSteps.find((step) => !isDone(step));
  const summary = t("start.stepsDone", { done, total });
  return (
    <>
      <PageHeader
        title={t("start.setupTitle")}
        description={t("start.setupIntro")}
        actions={
          <>
            <LinkButton to="/import">{t("start.moveIn")}</LinkButton>
            <Button
              loading={isPending}
              onClick={() =>
                mutate({ name: "dismissed", marked: !list.dismissed }, { onError: toastError })
              }
            >
              {t(list.dismissed ? "start.reopen" : "start.dismiss")}
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-1.5">
        <p className="text-sm tabular-nums">{summary}</p>
        <ProgressBar value={done} max={total} tone={done === total ? "success" : "accent"} />
      </div>
      {next === undefined && <Banner tone="success" title={t("start.allDone")} />}
      {list.dismissed && next !== undefined && (
        <Banner tone="info" title={t("start.dismissedNote")} />
      )}
      {parts.map(({ title, steps }) => (
        <Section key={title} title={t(title)}>
          <StepList aria-label={t(title)}>
            {steps.map((step) => (
              <SetupStepRow
                key={step}
                step={step}
                list={list}
                done={isDone(step)}
                current={step === next}
              />
            ))}
          </StepList>
        </Section>
      ))}
    </>
  );
}

import type {
  MarkedStep,
  SetupChecklist,
  SetupStep,
} from "@tollgate/contract/endpoints/checklist.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Step } from "#ui/layout/StepList.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { canBeMarked, stepTitles, viewOf } from "./setup-steps.ts";
import { useMarkSetup } from "./start.api.ts";

/** One step of root's checklist, with the button that leads to where it is done. */
export function SetupStepRow(props: {
  readonly step: SetupStep;
  readonly list: SetupChecklist;
  readonly done: boolean;
  readonly current: boolean;
}) {
  const { step, list, done, current } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const { text, link } = viewOf[step]({ list, done, display, origin: ownAddress(), t });
  const isMarked = canBeMarked(step) && list.marked[step] !== undefined;
  const { open } = list.facts.users;
  const lastTest = list.facts.provider.last_test;
  return (
    <Step
      title={t(stepTitles[step])}
      state={t(done ? "start.done" : "start.todo")}
      done={done}
      current={current}
      text={
        <>
          {text}
          {step === "provider" && done && lastTest > 0 && (
            <>
              {" · "}
              {t("start.lastTest")} <TimeCell seconds={lastTest} />
            </>
          )}
        </>
      }
      actions={
        <>
          {canBeMarked(step) && (
            <MarkButton step={step} list={list} done={done} marked={isMarked} />
          )}
          {step === "users" && done && open && <InviteButton list={list} />}
          {link !== null && (
            <LinkButton
              {...link.target}
              variant={done ? "ghost" : current ? "primary" : "default"}
              size={done ? "sm" : "md"}
            >
              {link.label}
            </LinkButton>
          )}
        </>
      }
    />
  );
}

/** Marks the step by hand, or takes that back; nothing for a step that the server has ticked. */
function MarkButton(props: {
  readonly step: MarkedStep;
  readonly list: SetupChecklist;
  readonly done: boolean;
  readonly marked: boolean;
}) {
  const { step, list, done, marked } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const { mutate, isPending } = useMarkSetup();
  if (done && !marked) return null;
  const balance = showQuota(list.facts.users.quota, display);
  const labels = {
    users: t("start.keepBalance", { balance }),
    address: t("start.notNeeded"),
    mail: t("start.notNeeded"),
    second_factor: t("start.notNeeded"),
    backup: t("start.backupConfirm"),
  } as const satisfies Record<MarkedStep, string>;
  return (
    <Button
      variant={marked || step !== "backup" ? "ghost" : "default"}
      size={marked ? "sm" : "md"}
      loading={isPending}
      onClick={() => mutate({ name: step, marked: !marked }, { onError: toastError })}
    >
      {marked ? t("start.undo") : labels[step]}
    </Button>
  );
}

/** Copies the address at which friends sign up. */
function InviteButton({ list }: { readonly list: SetupChecklist }) {
  const t = useT();
  const address = serverUrlOf(list.facts.address.server_address, ownAddress());
  return <CopyButton text={`${address}/register`} label={t("start.copyRegister")} />;
}

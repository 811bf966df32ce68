import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { UserChecklist } from "@tollgate/contract/endpoints/checklist.ts";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { StepList } from "#ui/layout/StepList.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import {
  doneByUser,
  type UserStep,
  userChecklistQuery,
  userSteps,
} from "#widgets/start/checklists.ts";
import { useSelfUse } from "#widgets/server/use-status.ts";
import { BalanceStep } from "./BalanceStep.tsx";
import { CallStep } from "./CallStep.tsx";
import { KeyStep } from "./KeyStep.tsx";
import { useDismiss } from "./start.api.ts";

/** Milliseconds between two looks for the first call, while it has not been made. */
const watchMs = 3_000;

/** The start page of everybody but root: balance, key, first call. */
export function FirstCallScreen({ user }: { readonly user: ShortUser }) {
  const t = useT();
  const { data, error, refetch } = useQuery({
    ...userChecklistQuery,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.calls > 0 ? false : watchMs,
  });
  const name = user.display_name || user.username;
  return (
    <Page narrow>
      {data === undefined ? (
        <>
          <PageHeader title={t("start.welcome", { name })} />
          {error === null ? (
            <Skeleton height={360} />
          ) : (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )}
        </>
      ) : (
        <Steps user={user} name={name} list={data} />
      )}
    </Page>
  );
}

function Steps(props: {
  readonly user: ShortUser;
  readonly name: string;
  readonly list: UserChecklist;
}) {
  const { user, name, list } = props;
  const t = useT();
  const [created, setCreated] = useState<Token | null>(null);
  useFreshBalance(list.calls);
  const isSelfUse = useSelfUse();
  const doneSteps = doneByUser(list);
  const stateOf = (step: UserStep) => ({
    done: doneSteps.includes(step),
    current: userSteps.find((each) => !doneSteps.includes(each)) === step,
  });
  return (
    <>
      <PageHeader
        title={t("start.welcome", { name })}
        description={t(list.calls > 0 ? "start.ready" : "start.firstCallIntro")}
        actions={list.calls === 0 && <DismissButton dismissed={list.dismissed} />}
      />
      <StepList aria-label={t("start.firstCallIntro")}>
        {(!isSelfUse || list.quota <= 0) && (
          <BalanceStep {...stateOf("balance")} user={user} quota={list.quota} />
        )}
        <KeyStep
          {...stateOf("token")}
          count={list.tokens}
          created={created}
          onCreated={setCreated}
        />
        <CallStep {...stateOf("call")} hasToken={list.tokens > 0} created={created} />
      </StepList>
    </>
  );
}

/** Hides the start page and opens the keys, where the user would be without it. */
function DismissButton({ dismissed }: { readonly dismissed: boolean }) {
  const t = useT();
  const navigate = useNavigate();
  const { mutate, isPending } = useDismiss();
  const dismiss = () =>
    mutate(!dismissed, {
      onSuccess: () => {
        if (!dismissed) void navigate({ to: "/token" });
      },
      onError: toastError,
    });
  return (
    <Button loading={isPending} onClick={dismiss}>
      {t(dismissed ? "start.reopen" : "start.skip")}
    </Button>
  );
}

/** Reads the balance in the menu again as soon as a call has arrived. */
function useFreshBalance(calls: number): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (calls > 0) void queries.invalidateQueries({ queryKey: ["self"] });
  }, [calls, queries]);
}

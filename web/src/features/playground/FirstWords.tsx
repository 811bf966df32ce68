import type { ReactNode } from "react";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import type { ParameterState } from "./use-parameters.ts";

/**
 * Shown in place of the first messages: an introduction, or what is missing before a question can
 * be asked.
 */
export function FirstWords({ parameters }: { parameters: ParameterState }): ReactNode {
  const { groups, models, settings } = parameters;
  const t = useT();
  const session = useSession();
  const failed = groups.error ?? models.error;
  if (failed !== null) {
    return (
      <ErrorState
        title={groups.error === null ? t("widgets.modelsFailed") : undefined}
        error={failed}
        onRetry={() => void Promise.all([groups.refetch(), models.refetch()])}
      />
    );
  }
  if (!models.isSuccess) {
    return (
      <p role="status" className="flex items-center justify-center gap-2 py-10 text-sm">
        <Spinner />
        <Muted>{t("playground.loading")}</Muted>
      </p>
    );
  }
  if (models.data.length > 0) {
    return (
      <Empty
        picture="talk"
        title={t("playground.emptyTitle", { model: settings.model })}
        description={t("playground.emptyBody")}
      />
    );
  }
  const isAdmin = (session?.role ?? 0) >= role.enum.admin;
  return (
    <Empty
      title={t("playground.noModelTitle", { group: settings.group })}
      description={isAdmin ? t("playground.noModelAdmin") : t("playground.noModelUser")}
      action={
        isAdmin ? (
          <LinkButton to="/channel" variant="primary">
            {t("playground.addChannel")}
          </LinkButton>
        ) : undefined
      }
    />
  );
}

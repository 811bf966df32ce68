import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useEffect } from "react";
import { useT } from "#i18n/t.ts";
import { ProgressRing } from "#ui/feedback/ProgressRing.tsx";
import { NavNote } from "#ui/layout/NavNote.tsx";
import {
  checklistsKey,
  isRoot,
  setupChecklistQuery,
  setupProgress,
  userChecklistQuery,
  userProgress,
} from "#widgets/start/checklists.ts";
import { usePath } from "#app/routing/use-screen.ts";

/**
 * The link to the start page at the foot of the side menu, with a ring that shows how much is done.
 * It is gone once everything is done, or the user has hidden the page.
 */
export function StartNote(props: {
  readonly user: ShortUser;
  readonly folded: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  const { user, folded, onChoose } = props;
  const t = useT();
  const root = isRoot(user);
  const setup = useQuery({ ...setupChecklistQuery, enabled: root });
  const own = useQuery({ ...userChecklistQuery, enabled: !root });
  const progress =
    setup.data !== undefined
      ? setupProgress(setup.data)
      : own.data === undefined
        ? undefined
        : userProgress(own.data);
  const isOpen = progress?.isOpen ?? false;
  useReread(isOpen);
  if (progress === undefined || !isOpen) return null;
  const { done, total } = progress;
  return (
    <NavNote
      to="/start"
      icon={<ProgressRing value={done} max={total} />}
      title={t("app.screenStart")}
      detail={t("shell.startSteps", { done, total })}
      told={t("shell.startTold", { done, total })}
      folded={folded}
      onClick={onChoose}
    />
  );
}

/** Reads the state again whenever another screen is opened, or a change was saved: it may be a step. */
function useReread(isOpen: boolean): void {
  const queries = useQueryClient();
  const path = usePath();
  useEffect(() => {
    if (isOpen) void queries.invalidateQueries({ queryKey: checklistsKey });
  }, [path, isOpen, queries]);
  useEffect(() => {
    if (!isOpen) return undefined;
    return queries.getMutationCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "success") return;
      void queries.invalidateQueries({ queryKey: checklistsKey });
    });
  }, [isOpen, queries]);
}

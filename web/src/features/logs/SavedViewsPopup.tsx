import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import {
  listViews,
  removeView,
  type SavedView,
  saveView,
  type ViewedList,
} from "@tollgate/contract/endpoints/views.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useState } from "react";
import { call } from "#api/call.ts";
import { useT } from "#i18n/t.ts";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import type { ToolProps } from "#ui/table/tools/ListTools.tsx";
import { ToolPopup } from "#ui/table/tools/ToolPopup.tsx";
import { changeTableSettings } from "#ui/table/views/table-settings.ts";
import {
  isSameView,
  storedViews,
  type View,
  viewPatch,
  viewSearch,
} from "#ui/table/views/views.ts";
import { NoViews, ViewFoot, ViewGroup } from "#ui/table/views/ViewGroup.tsx";
import { NameForm, ViewLine } from "#ui/table/views/ViewsPopup.tsx";
import { useSession } from "#widgets/server/use-status.ts";

/**
 * The saved views of a list that a user has on every device, those that root has saved for
 * everybody, and those that an earlier version has kept in this browser.
 */
export function SavedViewsPopup(props: ToolProps & { readonly list: ViewedList }) {
  const { id, list, anchor, onClose, names, settings, onSearch } = props;
  const t = useT();
  const isRoot = useSession()?.role === role.enum.root;
  const address: Record<string, unknown> = useSearch({ strict: false });
  const now = { search: viewSearch(address, names), columns: settings.columns };
  const [forAll, setForAll] = useState(false);
  const { data, change } = useSavedViews(list);
  const here = storedViews.use(id);
  const apply = (view: View | SavedView): void => {
    changeTableSettings(id, { columns: view.columns });
    onSearch(viewPatch({ ...view, columns: view.columns }, names));
    onClose();
  };
  const groups = [
    { title: t("views.own"), views: data.filter(({ shared }) => !shared) },
    { title: t("views.shared"), views: data.filter(({ shared }) => shared) },
  ];
  return (
    <ToolPopup anchor={anchor} title={t("ui.tableViews")} onClose={onClose}>
      {data.length + here.length === 0 && <NoViews>{t("views.none")}</NoViews>}
      {groups.map(({ title, views }) => (
        <ViewGroup key={title} title={title} count={views.length}>
          {views.map((view) => (
            <ViewLine
              key={view.id}
              view={view}
              current={isSameView(view, now)}
              onApply={() => apply(view)}
              onRemove={
                view.shared && !isRoot
                  ? undefined
                  : () => change(async () => await call(removeView, { id: view.id }))
              }
            />
          ))}
        </ViewGroup>
      ))}
      <ViewGroup title={t("views.here")} count={here.length}>
        {here.map((view) => (
          <ViewLine
            key={view.name}
            view={view}
            current={isSameView(view, now)}
            onApply={() => apply(view)}
            onRemove={() =>
              storedViews.write(
                id,
                here.filter((one) => one !== view),
              )
            }
          />
        ))}
      </ViewGroup>
      <ViewFoot>
        <NameForm
          name=""
          label={t("table.viewName")}
          submit={t("table.viewSave")}
          onSubmit={(name) => {
            const columns = now.columns === null ? null : [...now.columns];
            const sent = { list, name, shared: forAll, search: { ...now.search }, columns };
            change(async () => await call(saveView, sent));
            return null;
          }}
        />
        {isRoot && (
          <Checkbox
            checked={forAll}
            onChange={(checked) => setForAll(checked)}
            label={t("views.forAll")}
          />
        )}
      </ViewFoot>
    </ToolPopup>
  );
}

/** The views of a list, and a function that runs a change of them and reads them again. */
function useSavedViews(list: ViewedList) {
  const client = useQueryClient();
  const queryKey = ["views", list];
  const { data = [] } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call(listViews, { list }, signal),
  });
  const change = useMutation({
    mutationFn: async (run: () => Promise<unknown>) => await run(),
    onSettled: async () => await client.invalidateQueries({ queryKey }),
    onError: toastError,
  });
  return { data, change: change.mutate };
}

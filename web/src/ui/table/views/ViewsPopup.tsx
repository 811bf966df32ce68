import { Check, Pencil, Trash2 } from "lucide-react";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { toast } from "#ui/overlays/toast.ts";
import type { ToolProps } from "#ui/table/tools/ListTools.tsx";
import { changeTableSettings } from "./table-settings.ts";
import { ToolPopup } from "#ui/table/tools/ToolPopup.tsx";
import {
  isSameView,
  renameView,
  storedViews,
  type View,
  viewNameMax,
  viewPatch,
  viewSearch,
  viewsMax,
  withView,
} from "./views.ts";

/** Milliseconds for which the user can undo deleting a view. */
const undoMs = 6_000;

/**
 * The saved views of a list. A view is a set of filters, an order and the columns under a name,
 * stored in this browser.
 */
export function ViewsPopup(props: ToolProps) {
  const { id, anchor, onClose, names, settings, onSearch } = props;
  const t = useT();
  const views = storedViews.use(id);
  const address: Record<string, unknown> = useSearch({ strict: false });
  const [renamed, setRenamed] = useState<string | null>(null);
  const now = { search: viewSearch(address, names), columns: settings.columns };

  const apply = (view: View) => {
    changeTableSettings(id, { columns: view.columns });
    onSearch(viewPatch(view, names));
    onClose();
  };
  const remove = (view: View) => {
    const before = views;
    storedViews.write(
      id,
      views.filter((each) => each !== view),
    );
    toast({
      tone: "neutral",
      title: t("table.viewRemoved", { name: view.name }),
      durationMs: undoMs,
      action: { label: t("table.undo"), onClick: () => storedViews.write(id, before) },
    });
  };
  return (
    <ToolPopup anchor={anchor} title={t("ui.tableViews")} onClose={onClose}>
      {views.length === 0 ? (
        <p className="px-3 py-3 text-sm text-muted">{t("table.viewsNone")}</p>
      ) : (
        <ul className="flex flex-col p-1">
          {views.map((view) =>
            view.name === renamed ? (
              <li key={view.name} className="p-1">
                <NameForm
                  name={view.name}
                  label={t("table.viewRename", { name: view.name })}
                  submit={t("table.viewRenameSave")}
                  onCancel={() => setRenamed(null)}
                  onSubmit={(name) => {
                    const next = renameView(views, view.name, name);
                    if (next === null) return t("table.viewTaken");
                    storedViews.write(id, next);
                    setRenamed(null);
                    return null;
                  }}
                />
              </li>
            ) : (
              <ViewLine
                key={view.name}
                view={view}
                current={isSameView(view, now)}
                onApply={() => apply(view)}
                onRename={() => setRenamed(view.name)}
                onRemove={() => remove(view)}
              />
            ),
          )}
        </ul>
      )}
      <div className="border-t border-line p-3">
        {views.length >= viewsMax ? (
          <p className="text-sm text-muted">{t("table.viewsFull", { max: viewsMax })}</p>
        ) : (
          <NameForm
            name=""
            label={t("table.viewName")}
            submit={t("table.viewSave")}
            onSubmit={(name) => {
              storedViews.write(id, withView(views, { name, ...now }));
              return null;
            }}
          />
        )}
      </div>
    </ToolPopup>
  );
}

export function ViewLine(props: {
  readonly view: Pick<View, "name">;
  readonly current: boolean;
  readonly onApply: () => void;
  /** Absent: the view cannot be renamed, or not removed. */
  readonly onRename?: () => void;
  readonly onRemove?: (() => void) | undefined;
}) {
  const { view, current } = props;
  const t = useT();
  const { name } = view;
  return (
    <li className="flex items-center gap-0.5">
      <button
        type="button"
        aria-current={current || undefined}
        className="popup-item min-w-0 flex-1 text-left hover:bg-hover focus-visible:bg-hover"
        onClick={props.onApply}
      >
        <Check size={14} aria-hidden className={current ? "shrink-0" : "invisible shrink-0"} />
        <span className="truncate">{name}</span>
      </button>
      {props.onRename !== undefined && (
        <IconButton
          size="sm"
          label={t("table.viewRename", { name })}
          icon={<Pencil size={14} aria-hidden />}
          onClick={props.onRename}
        />
      )}
      {props.onRemove !== undefined && (
        <IconButton
          size="sm"
          label={t("table.viewRemove", { name })}
          icon={<Trash2 size={14} aria-hidden />}
          onClick={props.onRemove}
        />
      )}
    </li>
  );
}

/**
 * A form for a view's name. `onSubmit` returns what is wrong with the name; null: it is accepted.
 */
export function NameForm(props: {
  readonly name: string;
  readonly label: string;
  readonly submit: string;
  readonly onSubmit: (name: string) => string | null;
  readonly onCancel?: () => void;
}) {
  const { label, onSubmit, onCancel } = props;
  const [name, setName] = useState(props.name);
  const [fault, setFault] = useState<string | null>(null);
  return (
    <form
      className="flex flex-col gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = name.trim() === "" ? "" : onSubmit(name.trim());
        setFault(wrong);
        if (wrong === null) setName("");
      }}
    >
      <span className="flex gap-2">
        <Input
          aria-label={label}
          placeholder={label}
          autoFocus={onCancel !== undefined}
          maxLength={viewNameMax}
          invalid={fault !== null}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setFault(null);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || onCancel === undefined) return;
            // Escape only ends the renaming; the popup stays open.
            event.stopPropagation();
            onCancel();
          }}
        />
        <Button type="submit">{props.submit}</Button>
      </span>
      {fault !== null && fault !== "" && (
        <span role="alert" className="text-xs text-danger-ink">
          {fault}
        </span>
      )}
    </form>
  );
}

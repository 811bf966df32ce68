import { useQuery } from "@tanstack/react-query";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useEffect, useState, useSyncExternalStore } from "react";
import { chooseLanguage, type T, useLanguage, useT } from "#i18n/t.ts";
import { type Command, CommandBox, type CommandSection } from "#ui/overlays/CommandBox.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { openRecordStore } from "#widgets/commands/record-commands.ts";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { useNotice } from "#app/shell/notice.ts";
import { chooseTheme, useTheme } from "#app/theme.ts";
import { actionsFor, find, looks, pagesFor } from "./palette-commands.ts";
import {
  actionIcons,
  drawIcon,
  lookIcon,
  recentIcon,
  recordIcons,
  settingIcon,
} from "./palette-icons.tsx";
import { findModels, modelsQuery } from "./palette-models.ts";
import { readRecent } from "./palette-recent.ts";
import { type FoundRecord, type RecordKind, usePaletteRecords } from "./palette-records.ts";
import { settingsQuery } from "./palette-settings.ts";
import { closePalette } from "./palette-store.ts";
import { type Run, useRun } from "./use-palette-run.ts";

/** Milliseconds from the last key press until records are searched. */
const pauseMs = 200;

/** The largest number of settings in the results. */
const settingsMax = 6;

/** The command palette: finds screens, settings, models, records and actions by typing. */
export function Palette(props: { readonly open: boolean; readonly firstText: string }) {
  const { open, firstText } = props;
  const t = useT();
  const session = useSession();
  const [query, setQuery] = useState(firstText);
  const wanted = query.trim();
  const settled = useSettled(wanted);
  const found = usePaletteRecords(open ? settled : "", session?.role ?? 0);
  const isBusy = wanted !== settled || found.isFetching;
  const run = useRun();
  const records: CommandSection = {
    id: "records",
    title: t("palette.records"),
    // Records found for an older text are hidden, so that Enter cannot open one that does not match
    // the present text.
    commands:
      wanted === settled ? found.records.map((record) => recordCommand(record, run, t)) : [],
  };
  const sections = [
    useRecordSection(query, run),
    usePlaces(open, query, run),
    [records],
    useActions(query, run),
  ].flat();
  return (
    <CommandBox
      open={open}
      onClose={closePalette}
      label={t("palette.title")}
      placeholder={session === null ? t("palette.placeholderVisitor") : t("palette.placeholder")}
      firstText={firstText}
      onQuery={setQuery}
      sections={sections.filter(({ commands }) => commands.length > 0)}
      busy={isBusy}
      empty={t("palette.empty")}
      note={found.isFailed ? t("palette.failed") : undefined}
      hint={t("palette.choose")}
    />
  );
}

/**
 * Returns the typed text once the user has paused typing, so that records are not searched at every
 * key.
 */
function useSettled(text: string): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Returns the actions on the record whose sheet is open. */
function useRecordSection(query: string, run: Run): CommandSection[] {
  const record = useSyncExternalStore(openRecordStore.subscribe, openRecordStore.read);
  if (record === null) return [];
  const commands = find(query, record.commands, ({ key }) => key).map((command) => ({
    id: `record ${command.key}`,
    label: command.label,
    icon: command.icon,
    onSelect: () => run.after(command.onSelect),
  }));
  return [{ id: "record", title: record.name, commands }];
}

/**
 * Returns the sections of the results that open a page: recently opened entries, screens, settings,
 * models.
 */
function usePlaces(open: boolean, query: string, run: Run): CommandSection[] {
  const t = useT();
  const language = useLanguage();
  const session = useSession();
  const status = useStatus();
  const isSignedIn = open && session !== null;
  const isEmpty = query.trim() === "";
  const isRoot = session?.role === role.enum.root;
  const { data: settings = [] } = useQuery({
    ...settingsQuery(language, isRoot),
    enabled: isSignedIn,
  });
  const { data: models = [] } = useQuery({ ...modelsQuery, enabled: isSignedIn && !isEmpty });
  const pages = pagesFor(session, status, t);
  const go = (kind: string, label: string, hint: string, address: string): Command => ({
    id: `${kind} ${address}`,
    label,
    hint,
    onSelect: () => run.open({ kind, label, hint, address }),
  });
  const recent = isEmpty && session !== null ? readRecent(session.id) : [];
  const pageIcon = (address: string) => pages.find((page) => page.address === address)?.Icon;
  return [
    {
      id: "recent",
      title: t("palette.recent"),
      commands: recent.map((entry) => ({
        ...go(entry.kind, entry.label, entry.hint, entry.address),
        id: `recent ${entry.address}`,
        icon: recentIcon(entry, pageIcon),
      })),
    },
    {
      id: "pages",
      title: t("palette.pages"),
      commands: find(query, pages, ({ address }) => address).map(({ address, label, Icon }) => ({
        ...go("page", label, address, address),
        icon: drawIcon(Icon),
      })),
    },
    {
      id: "settings",
      title: t("palette.settings"),
      commands: (isEmpty ? [] : find(query, settings, ({ words }) => words))
        .slice(0, settingsMax)
        .map(({ address, label, hint }) => ({
          ...go("setting", label, hint, address),
          icon: settingIcon,
        })),
    },
    {
      id: "models",
      title: t("palette.models"),
      commands: findModels(query, models).map((model) => ({
        ...go("model", model, t("app.screenPricing"), pricesOf(model, isRoot)),
        icon: <ModelMark model={model} />,
      })),
    },
  ];
}

/**
 * Returns the address of a model's price: for root the screen that edits prices, for others the
 * price list.
 */
function pricesOf(model: string, isRoot: boolean): string {
  const name = encodeURIComponent(model);
  return isRoot ? `/prices?model=${name}` : `/pricing?keyword=${name}`;
}

/**
 * Returns the commands that are available on every screen, and the choices of theme and language.
 */
function useActions(query: string, run: Run): CommandSection[] {
  const t = useT();
  const session = useSession();
  const theme = useTheme();
  const language = useLanguage();
  const { text: notice } = useNotice();
  const actions = find(query, actionsFor(session, notice !== "", t), ({ words }) => words);
  return [
    {
      id: "actions",
      title: t("palette.actions"),
      commands: actions.map((action) => ({
        id: `action ${action.label}`,
        label: action.label,
        icon: actionIcons[action.kind],
        onSelect: () => run.act(action),
      })),
    },
    {
      id: "looks",
      title: t("palette.looks"),
      commands: find(query, looks(t), ({ words }) => words).map((look) => ({
        id: `look ${look.label}`,
        label: look.label,
        icon: lookIcon(look),
        current: look.kind === "theme" ? look.theme === theme : look.language === language,
        onSelect: () =>
          run.after(() => {
            if (look.kind === "theme") chooseTheme(look.theme);
            else void chooseLanguage(look.language);
          }),
      })),
    },
  ];
}

function recordCommand(record: FoundRecord, run: Run, t: T): Command {
  const { kind, id, label, address } = record;
  const kinds: Readonly<Record<RecordKind, string>> = {
    channel: t("palette.kindChannel"),
    log: t("palette.kindLog"),
    token: t("palette.kindToken"),
    user: t("palette.kindUser"),
  };
  const hint = `${kinds[kind]} · ${record.hint}`;
  return {
    id: `${kind} ${id}`,
    label,
    hint,
    icon: recordIcons[kind],
    onSelect: () => run.open({ kind, label, hint, address }),
  };
}

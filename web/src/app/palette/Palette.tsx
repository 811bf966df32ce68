import { useNavigate } from "@tanstack/react-router";
import {
  Bell,
  CornerDownRight,
  Copy,
  FlaskConical,
  KeyRound,
  Languages,
  LogOut,
  Network,
  Plus,
  ScrollText,
  User,
} from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { testChannels } from "@tollgate/contract/channel-probes.ts";
import { call } from "#api/call.ts";
import { chooseLanguage, type T, useLanguage, useT } from "#i18n/t.ts";
import { copyText } from "#ui/copy/copy-text.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { type Command, CommandBox, type CommandSection } from "#ui/overlays/CommandBox.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { openNotice, useNotice } from "#app/shell/notice.ts";
import { type Action, actionsFor, find, type Look, looks, pagesFor } from "./palette-commands.ts";
import { type FoundRecord, type RecordKind, usePaletteRecords } from "./palette-records.ts";
import { closePalette } from "./palette-store.ts";
import { chooseTheme, useTheme } from "#app/theme.ts";
import { themeIcons } from "#app/shell/ThemeMenu.tsx";
import { useSignOut } from "#app/shell/use-sign-out.ts";

/** Milliseconds without a key press before records are searched. */
const pauseMs = 200;

/** The command palette: finds screens, records, actions, theme and language by typing. */
export function Palette(props: { readonly open: boolean; readonly firstText: string }) {
  const { open, firstText } = props;
  const t = useT();
  const session = useSession();
  const status = useStatus();
  const { text: notice } = useNotice();
  const [query, setQuery] = useState(firstText);
  const wanted = query.trim();
  const settled = useSettled(wanted);
  const found = usePaletteRecords(open ? settled : "", session?.role ?? 0);
  const isBusy = wanted !== settled || found.isFetching;
  const run = useRun();
  const lookCommands = useLookCommands(query);

  const sections: readonly CommandSection[] = [
    {
      id: "pages",
      title: t("palette.pages"),
      commands: find(query, pagesFor(session, status, t), ({ address }) => address).map((page) => ({
        id: `page ${page.address}`,
        label: page.label,
        hint: page.address,
        icon: <CornerDownRight size={14} aria-hidden />,
        onSelect: () => run.open(page.address),
      })),
    },
    {
      id: "records",
      title: t("palette.records"),
      // Results of an older text are hidden, so that Enter cannot choose one of them.
      commands:
        wanted === settled ? found.records.map((record) => recordCommand(record, run, t)) : [],
    },
    {
      id: "actions",
      title: t("palette.actions"),
      commands: find(query, actionsFor(session, notice !== "", t), ({ words }) => words).map(
        (action) => ({
          id: `action ${action.label}`,
          label: action.label,
          icon: actionIcons[action.kind],
          onSelect: () => run.act(action),
        }),
      ),
    },
    { id: "looks", title: t("palette.looks"), commands: lookCommands },
  ];

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

/** The text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const actionIcons: Readonly<Record<Action["kind"], ReactNode>> = {
  open: <Plus size={14} aria-hidden />,
  "test-all": <FlaskConical size={14} aria-hidden />,
  "copy-address": <Copy size={14} aria-hidden />,
  notice: <Bell size={14} aria-hidden />,
  "sign-out": <LogOut size={14} aria-hidden />,
};

const recordIcons: Readonly<Record<RecordKind, ReactNode>> = {
  channel: <Network size={14} aria-hidden />,
  log: <ScrollText size={14} aria-hidden />,
  token: <KeyRound size={14} aria-hidden />,
  user: <User size={14} aria-hidden />,
};

type Run = {
  readonly open: (address: string) => void;
  readonly act: (action: Action) => void;
};

/** Runs a chosen command. The palette closes first, so that the focus is back where it was. */
function useRun(): Run {
  const t = useT();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const serverAddress = useStatus()?.server_address;

  const open = (address: string): void => {
    closePalette();
    void navigate({ href: address });
  };
  async function testAll(): Promise<void> {
    try {
      await call(testChannels, {});
      toast({ tone: "success", title: t("palette.testAllStarted") });
      await navigate({ href: "/channel" });
    } catch (error) {
      toastError(error);
    }
  }
  async function copyAddress(): Promise<void> {
    const address = `${(serverAddress || location.origin).replace(/\/+$/, "")}/v1`;
    const copied = await copyText(address);
    toast(
      copied
        ? { tone: "success", title: t("palette.copied"), description: address }
        : { tone: "info", title: address },
    );
  }
  return {
    open,
    act(action) {
      if (action.kind === "open") {
        open(action.address);
        return;
      }
      closePalette();
      switch (action.kind) {
        case "test-all":
          void testAll();
          return;
        case "copy-address":
          void copyAddress();
          return;
        case "notice":
          openNotice();
          return;
        case "sign-out":
          void signOut();
      }
    },
  };
}

function recordCommand(record: FoundRecord, run: Run, t: T): Command {
  const { kind, id, label, hint, address } = record;
  const kinds: Readonly<Record<RecordKind, string>> = {
    channel: t("palette.kindChannel"),
    log: t("palette.kindLog"),
    token: t("palette.kindToken"),
    user: t("palette.kindUser"),
  };
  return {
    id: `${kind} ${id}`,
    label,
    hint: `${kinds[kind]} · ${hint}`,
    icon: recordIcons[kind],
    onSelect: () => run.open(address),
  };
}

function useLookCommands(query: string): Command[] {
  const t = useT();
  const theme = useTheme();
  const language = useLanguage();
  return find(query, looks(t), ({ words }) => words).map((look) => ({
    id: `look ${look.label}`,
    label: look.label,
    icon: iconOf(look),
    current: look.kind === "theme" ? look.theme === theme : look.language === language,
    onSelect: () => {
      closePalette();
      if (look.kind === "theme") chooseTheme(look.theme);
      else void chooseLanguage(look.language);
    },
  }));
}

function iconOf(look: Look): ReactNode {
  if (look.kind === "language") return <Languages size={14} aria-hidden />;
  const Icon = themeIcons[look.theme];
  return <Icon size={14} aria-hidden />;
}
